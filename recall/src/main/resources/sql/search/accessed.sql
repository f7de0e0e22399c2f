-- Memories that were among the hits, and how often. Locked in order, so that two nodes do not wait for each other in a
-- circle; those that are gone by now are left out. $1 memories, $2 how often, $3 when, null for now
insert into memory_access (memory_id, recalls, last_at)
select m.id, a.recalls, coalesce($3::timestamptz, now())
from unnest($1::uuid[], $2::bigint[]) as a (id, recalls)
join memory m on m.id = a.id
order by m.id
for key share of m
on conflict (memory_id) do update
set recalls = memory_access.recalls + excluded.recalls, last_at = greatest(memory_access.last_at, excluded.last_at)
