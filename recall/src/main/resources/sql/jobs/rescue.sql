-- Jobs whose lease ran out: their process died or lost its database. It counts against the job, since the job may be
-- what killed the process; but not where the lease is the caller's own ($5): whoever asks has not been killed.
with expired as materialized (
  select id, case when leased_by = $5 then 0 else 1 end as counts
  from embedding_job
  where state = 'running' and lease_until <= coalesce($1::timestamptz, now())
  order by lease_until
  limit 100
  for update skip locked
)
update embedding_job j
set state = case when j.failures + expired.counts >= $2 then 'failed' else 'retryable' end,
  failures = j.failures + expired.counts,
  finished_at = case when j.failures + expired.counts >= $2 then coalesce($1::timestamptz, now()) end,
  available_at = coalesce($1::timestamptz, now())
    + least($4::bigint, $3::bigint * power(2, least(j.failures, 30))::bigint) * interval '1 millisecond',
  leased_by = null, lease_until = null,
  errors = case when expired.counts = 0 then j.errors
    else j.errors || jsonb_build_array(jsonb_build_object('attempt', j.attempt, 'code', 'lease-expired',
      'detail', 'the process that ran it went away or lost its database', 'at', coalesce($1::timestamptz, now()))) end
from expired
where j.id = expired.id
returning j.id, j.memory_id, j.state
