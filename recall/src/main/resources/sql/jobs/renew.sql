-- Holds on to what is still ours; what does not come back was lost.
update embedding_job j
set lease_until = coalesce($1::timestamptz, now()) + $3 * interval '1 millisecond'
from unnest($4::bigint[], $5::integer[]) as held (id, attempt)
where j.id = held.id and j.attempt = held.attempt and j.state = 'running' and j.leased_by = $2
returning j.id
