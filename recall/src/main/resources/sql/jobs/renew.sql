-- Holds on to what is still ours; what does not come back was lost. Locked in the order of ids.
with held as materialized (
  select j.id
  from unnest($4::bigint[], $5::integer[]) as h (id, attempt)
  join embedding_job j on j.id = h.id and j.attempt = h.attempt and j.state = 'running' and j.leased_by = $2
  order by j.id
  for update of j
)
update embedding_job j
set lease_until = coalesce($1::timestamptz, now()) + $3 * interval '1 millisecond'
from held
where j.id = held.id
returning j.id
