-- Gives leases back unharmed, so that somebody else can start at once. Locked in the order of ids.
with held as materialized (
  select j.id
  from unnest($2::bigint[], $3::integer[]) as h (id, attempt)
  join embedding_job j on j.id = h.id and j.attempt = h.attempt and j.state = 'running' and j.leased_by = $1
  order by j.id
  for update of j
)
update embedding_job j
set state = 'available', leased_by = null, lease_until = null
from held
where j.id = held.id
returning j.id
