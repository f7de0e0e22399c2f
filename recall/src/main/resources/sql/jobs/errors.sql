-- The newest failed attempts of a scope's jobs that failed or wait for another try; of the newest hundred such jobs.
select j.memory_id, (e ->> 'attempt')::integer as attempt, e ->> 'code' as code, e ->> 'detail' as detail,
  (e ->> 'at')::timestamptz as at
from (
  select id, memory_id, errors
  from embedding_job
  where owner = $1 and project = $2 and state in ('failed', 'retryable')
  order by id desc
  limit 100) j
cross join lateral jsonb_array_elements(j.errors) as e
order by (e ->> 'at')::timestamptz desc, j.id desc
limit 20
