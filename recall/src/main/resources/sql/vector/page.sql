-- A page of a scope's vectors. $1 owner, $2 project, $3 fingerprint, $4 last memory, $5 last passage, $6 most rows
select memory_id, passage, vector
from memory_vector
where owner = $1 and project = $2 and fingerprint = $3 and (memory_id, passage) > ($4, $5)
order by memory_id, passage
limit $6
