-- What exported memories bring of their recalls; the same export once more changes nothing.
-- $1 memories, $2 how often, $3 when
insert into memory_access (memory_id, recalls, last_at)
select a.id, a.recalls, a.last_at
from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as a (id, recalls, last_at)
order by a.id
on conflict (memory_id) do update
set recalls = greatest(memory_access.recalls, excluded.recalls), last_at = greatest(memory_access.last_at, excluded.last_at)
