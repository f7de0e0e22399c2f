-- As exact.sql, among the memories that a filter admits. $6 session or null, $7 kinds, $8 whether also superseded ones
select d.memory_id, max(-(d.embedding <#> $4::real[]::vector)) as similarity
from memory_vector_derived d
join memory m on m.id = d.memory_id
where d.owner = $1 and d.project = $2 and d.fingerprint = $3
  and m.owner = $1 and m.project = $2 and ($6::text is null or m.session = $6) and m.kind = any($7::text[])
  and ($8 or not m.superseded)
group by d.memory_id
order by similarity desc, d.memory_id
limit $5
