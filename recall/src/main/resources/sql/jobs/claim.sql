-- Takes the next jobs: the most urgent first, then the oldest. The picking is materialised, because a planner free to
-- repeat it would lock more rows than the limit. Rows that another node is picking are skipped, not waited for.
-- Of these, as many as begin within $5 bytes of contents; the others are left as they are.
-- Jobs under this runner's own name that it does not work on ($6 are those it does) go back unharmed in the same step:
-- their outcome, or the answer to their claim, was lost on the way, and nobody else would touch them until their lease
-- has run out.
with picked as materialized (
  select id, memory_id, priority, available_at
  from embedding_job
  where state in ('available', 'retryable') and available_at <= coalesce($1::timestamptz, now())
  order by priority, available_at, id
  limit $4
  for update skip locked
), fitting as materialized (
  select s.id
  from (
    select p.id, sum(octet_length(m.content)) over (order by p.priority, p.available_at, p.id
      rows between unbounded preceding and 1 preceding) as bytes_before
    from picked p
    join memory m on m.id = p.memory_id) s
  where coalesce(s.bytes_before, 0) < $5
), stray as materialized (
  select id
  from embedding_job
  where state = 'running' and leased_by = $2 and not id = any ($6::bigint[])
  for update skip locked
), returned as (
  update embedding_job j
  set state = 'available', leased_by = null, lease_until = null
  from stray
  where j.id = stray.id
), claimed as (
  update embedding_job j
  set state = 'running', attempt = j.attempt + 1, leased_by = $2,
    lease_until = coalesce($1::timestamptz, now()) + $3 * interval '1 millisecond'
  from fitting
  where j.id = fitting.id
  returning j.*
)
select c.id, c.memory_id, c.owner, c.project, c.content_hash, c.attempt, c.failures, m.author, m.content
from claimed c
join memory m on m.id = c.memory_id
order by c.priority, c.available_at, c.id
