-- The fence for several jobs at once, each by itself: as lock-memory.sql and finish.sql do it for one. A memory that
-- somebody else is writing is skipped, not waited for, or two groups and a writer could wait for each other in a ring;
-- its job is reported as busy, and is finished alone. Jobs are locked in the order of their ids, as renewals do it.
with made as materialized (
  select *
  from unnest($3::bigint[], $4::integer[], $5::text[], $6::text[], $7::uuid[], $8::bytea[])
    as m (job, attempt, owner, project, memory, content_hash)
), kept as materialized (
  select made.job, made.attempt, made.content_hash
  from made
  join memory m on m.id = made.memory and m.owner = made.owner and m.project = made.project
    and m.content_hash = made.content_hash
  order by m.id
  for share of m skip locked
), mine as materialized (
  select j.id
  from embedding_job j
  join kept on kept.job = j.id
  where j.state = 'running' and j.attempt = kept.attempt and j.leased_by = $2 and j.content_hash = kept.content_hash
    and j.lease_until > coalesce($1::timestamptz, now())
  order by j.id
  for update of j
), finished as (
  update embedding_job j
  set state = 'done', finished_at = coalesce($1::timestamptz, now()), leased_by = null, lease_until = null
  from mine
  where j.id = mine.id
  returning j.id
)
select made.job, finished.id is not null as finished,
  kept.job is null and exists (select from memory m where m.id = made.memory and m.owner = made.owner
    and m.project = made.project and m.content_hash = made.content_hash) as busy
from made
left join kept on kept.job = made.job
left join finished on finished.id = made.job
