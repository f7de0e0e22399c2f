-- How near certain memories are. $1 owner, $2 project, $3 fingerprint, $4 query, $5 memories
select memory_id, max(-(embedding <#> $4::real[]::vector)) as similarity
from memory_vector_derived
where memory_id = any($5::uuid[]) and owner = $1 and project = $2 and fingerprint = $3
group by memory_id
