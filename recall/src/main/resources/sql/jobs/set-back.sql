-- Ends attempts without a vector: again later, or failed for good. Histories are appended to, never rewritten. Jobs are
-- locked in the order of their ids, as all do who change several.
with ended as materialized (
  select e.*
  from unnest($3::bigint[], $4::integer[], $5::text[], $6::integer[], $7::float8[], $8::text[], $9::text[])
    as e (id, attempt, state, counts, wait_millis, code, detail)
  join embedding_job j on j.id = e.id and j.state = 'running' and j.attempt = e.attempt and j.leased_by = $2
  order by j.id
  for update of j
)
update embedding_job j
set state = e.state, failures = j.failures + e.counts,
  available_at = case when e.state = 'retryable'
    then coalesce($1::timestamptz, now()) + e.wait_millis * interval '1 millisecond' else j.available_at end,
  finished_at = case when e.state = 'failed' then coalesce($1::timestamptz, now()) end,
  leased_by = null, lease_until = null,
  errors = case when e.counts = 0 then j.errors
    else j.errors || jsonb_build_array(jsonb_build_object('attempt', j.attempt, 'code', e.code, 'detail', e.detail,
      'at', coalesce($1::timestamptz, now()))) end
from ended e
where j.id = e.id
returning j.id
