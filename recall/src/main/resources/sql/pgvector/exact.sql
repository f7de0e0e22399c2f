-- The nearest of a scope, each compared. <#> is the negative inner product.
-- $1 owner, $2 project, $3 fingerprint, $4 query, $5 most memories, $6 whether also superseded ones
select memory_id, max(-(embedding <#> $4::real[]::vector)) as similarity
from memory_vector_derived
where owner = $1 and project = $2 and fingerprint = $3
  and ($6 or memory_id not in (select id from memory where owner = $1 and project = $2 and superseded))
group by memory_id
order by similarity desc, memory_id
limit $5
