-- Takes the next jobs: the most urgent first, then the oldest. The picking is materialised, because a planner free to
-- repeat it would lock more rows than the limit. Rows that another node is picking are skipped, not waited for.
with picked as materialized (
  select id
  from embedding_job
  where state in ('available', 'retryable') and available_at <= coalesce($1::timestamptz, now())
  order by priority, available_at, id
  limit $4
  for update skip locked
), claimed as (
  update embedding_job j
  set state = 'running', attempt = j.attempt + 1, leased_by = $2,
    lease_until = coalesce($1::timestamptz, now()) + $3 * interval '1 millisecond'
  from picked
  where j.id = picked.id
  returning j.*
)
select c.id, c.memory_id, c.owner, c.project, c.content_hash, c.attempt, c.failures, m.author,
  left(m.content, $5) as content
from claimed c
join memory m on m.id = c.memory_id
order by c.priority, c.available_at, c.id
