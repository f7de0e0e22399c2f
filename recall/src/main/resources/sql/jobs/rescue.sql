-- Jobs whose lease ran out: their process died or lost its database. It counts against the job, since the job may be
-- what killed the process.
with expired as materialized (
  select id
  from embedding_job
  where state = 'running' and lease_until <= coalesce($1::timestamptz, now())
  order by lease_until
  limit 100
  for update skip locked
)
update embedding_job j
set state = case when j.failures + 1 >= $2 then 'failed' else 'retryable' end,
  failures = j.failures + 1,
  finished_at = case when j.failures + 1 >= $2 then coalesce($1::timestamptz, now()) end,
  available_at = coalesce($1::timestamptz, now())
    + least($4::bigint, $3::bigint * power(2, least(j.failures, 30))::bigint) * interval '1 millisecond',
  leased_by = null, lease_until = null,
  errors = j.errors || jsonb_build_array(jsonb_build_object('attempt', j.attempt, 'code', 'lease-expired',
    'detail', 'the process that ran it went away or lost its database', 'at', coalesce($1::timestamptz, now())))
from expired
where j.id = expired.id
returning j.id
