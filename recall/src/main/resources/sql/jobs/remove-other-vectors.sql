-- Of a page of memories that have all their vectors of the active model: vectors of other models that are old enough. What
-- a writer holds is left for another time, so that neither waits for the other; and so is all of a model that a memory has,
-- if one of its passages is: part of them would pass for the whole if that model came back. Ages are by the server's
-- clock, as created_at is.
-- $1 fingerprint, $2 last memory of the page before, $3 most memories, $4 milliseconds
with page as materialized (
  select id, content_hash from memory where id > $2 order by id limit $3
), free as materialized (
  select v.memory_id, v.fingerprint
  from memory_vector v
  join page p on p.id = v.memory_id
  where v.memory_id = any (array(select id from page)) and v.fingerprint <> $1 and v.created_at <= now() - $4 * interval '1 millisecond'
    and exists (select from memory_vector active
      where active.memory_id = p.id and active.fingerprint = $1 and active.content_hash = p.content_hash
      having count(*) = max(active.passages))
  for update of v skip locked
), others as materialized (
  select free.memory_id, free.fingerprint
  from free
  group by free.memory_id, free.fingerprint
  having count(*) = (select count(*) from memory_vector v
    where v.memory_id = free.memory_id and v.fingerprint = free.fingerprint)
), removed as (
  delete from memory_vector v
  using others o
  where v.memory_id = o.memory_id and v.fingerprint = o.fingerprint
  returning v.memory_id, v.owner, v.project
)
select (select count(*) from page) as memories, (select id from page order by id desc limit 1) as last,
  r.memory_id, r.owner, r.project, r.vectors
from (select 1) one
left join (
  select memory_id, owner, project, count(*)::integer as vectors from removed group by memory_id, owner, project) r on true
