-- How many vectors a scope has. $1 owner, $2 project, $3 fingerprint
select count(*) from memory_vector where owner = $1 and project = $2 and fingerprint = $3
