-- Gives leases back unharmed, so that somebody else can start at once.
update embedding_job j
set state = 'available', leased_by = null, lease_until = null
from unnest($2::bigint[], $3::integer[]) as held (id, attempt)
where j.id = held.id and j.attempt = held.attempt and j.state = 'running' and j.leased_by = $1
returning j.id
