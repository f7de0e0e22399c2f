-- Ends an attempt without a vector: again later, or failed for good. The history is appended to, never rewritten.
update embedding_job
set state = $5, failures = failures + $6,
  available_at = case when $5 = 'retryable'
    then coalesce($1::timestamptz, now()) + $7 * interval '1 millisecond' else available_at end,
  finished_at = case when $5 = 'failed' then coalesce($1::timestamptz, now()) end,
  leased_by = null, lease_until = null,
  errors = case when $6 = 0 then errors
    else errors || jsonb_build_array(jsonb_build_object('attempt', attempt, 'code', $8::text, 'detail', $9::text,
      'at', coalesce($1::timestamptz, now()))) end
where id = $2 and state = 'running' and attempt = $3 and leased_by = $4
returning id
