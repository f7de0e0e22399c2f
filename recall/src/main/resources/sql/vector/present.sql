-- Which of these memories still have a vector. $1 owner, $2 project, $3 fingerprint, $4 ids
select distinct memory_id
from memory_vector
where owner = $1 and project = $2 and fingerprint = $3 and memory_id = any($4::uuid[])
