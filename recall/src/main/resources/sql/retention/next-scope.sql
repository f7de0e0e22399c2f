-- The scope that follows in order. $1 owner and $2 project of the one before; both empty for the first.
select owner, project from memory where (owner, project) > ($1, $2) order by owner, project limit 1
