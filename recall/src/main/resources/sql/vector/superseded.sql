-- The memories that others supersede. $1 owner, $2 project
select id from memory where owner = $1 and project = $2 and superseded
