-- One memory; its jobs and vectors go with it.
delete from memory where owner = $1 and project = $2 and id = $3 returning id
