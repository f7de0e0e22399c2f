-- How many jobs of all owners wait, run, or have failed, and how long the oldest that has not ended has been there.
select state, jobs, oldest_seconds
from (
  select state, count(*) as jobs,
         greatest(0, extract(epoch from coalesce($1::timestamptz, now()) - min(created_at)))::double precision
           as oldest_seconds
  from embedding_job
  where state in ('available', 'running', 'retryable')
  group by state
  union all
  select 'failed', count(*), 0 from embedding_job where state = 'failed'
) counted
