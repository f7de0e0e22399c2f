-- How near certain memories are, looked up one by one behind a fence (offset 0): the plan is kept, and must not be to read
-- all vectors of a scope. $1 owner, $2 project, $3 fingerprint, $4 query, $5 memories
select d.memory_id, max(-(d.embedding <#> $4::real[]::vector)) as similarity
from (select distinct id from unnest($5::uuid[]) id) wanted
cross join lateral (
  select x.memory_id, x.owner, x.project, x.embedding
  from memory_vector_derived x
  where x.memory_id = wanted.id and x.fingerprint = $3 offset 0
) d
where d.owner = $1 and d.project = $2
group by d.memory_id
