-- The nearest by the HNSW index of one model; the program puts its fingerprint and dimensions in, so that the planner
-- can match the partial index whatever kind of plan it makes. $1 owner, $2 project, $3 query, $4 whether also superseded ones. Read by a cursor:
-- how many passages are needed until there are enough memories is known only then.
select memory_id, -(embedding::vector({dimensions}) <#> $3::real[]::vector({dimensions})) as similarity
from memory_vector_derived
where owner = $1 and project = $2 and fingerprint = '{fingerprint}'
  and ($4 or memory_id not in (select id from memory where owner = $1 and project = $2 and superseded))
order by embedding::vector({dimensions}) <#> $3::real[]::vector({dimensions})
