-- Finishes jobs and commits their vectors in one statement: of each job everything or nothing, and nothing unless memory,
-- content, attempt, holder and lease are still the ones the vectors were made for. All passages of a memory are replaced
-- together; those of a longer text before it go.
--
-- It waits for nobody: a memory or a job that somebody else has locked is skipped and its job reported as busy, since a
-- stranger's transaction may take long. Memories are locked before their jobs, as writers do.
-- Jobs are looked up by id: their state is compared as an expression that no index has, since a planner without fresh
-- statistics believes that hardly any job runs, and reads all that do once for each of these.
-- $1 now, $2 holder, $3 fingerprint; jobs: $4 ids, $5 attempts, $6 owners, $7 projects, $8 memories, $9 content hashes,
-- $10 how many passages each has; one entry for each passage: $11 jobs, $12 numbers, $13 vectors, $14 whether text is
-- missing in it or after it
with made as materialized (
  select *
  from unnest($4::bigint[], $5::integer[], $6::text[], $7::text[], $8::uuid[], $9::bytea[], $10::integer[])
    as m (job, attempt, owner, project, memory, content_hash, passages)
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
  where j.state || '' = 'running' and j.attempt = kept.attempt and j.leased_by = $2 and j.content_hash = kept.content_hash
    and j.lease_until > coalesce($1::timestamptz, now())
  order by j.id
  for update of j skip locked
), finished as (
  update embedding_job j
  set state = 'done', finished_at = coalesce($1::timestamptz, now()), leased_by = null, lease_until = null
  from mine
  where j.id = mine.id
  returning j.id
), done as materialized (
  select made.* from made join finished on finished.id = made.job
), surplus as (
  delete from memory_vector v
  using done
  where v.memory_id = done.memory and v.fingerprint = $3 and v.passage >= done.passages
), put as (
  insert into memory_vector
    (memory_id, fingerprint, passage, passages, owner, project, content_hash, dimensions, vector, incomplete)
  select done.memory, $3, p.passage, done.passages, done.owner, done.project, done.content_hash, length(p.vector) / 4,
    p.vector, p.incomplete
  from unnest($11::bigint[], $12::integer[], $13::bytea[], $14::boolean[]) as p (job, passage, vector, incomplete)
  join done on done.job = p.job
  on conflict (memory_id, fingerprint, passage) do update
  set passages = excluded.passages, content_hash = excluded.content_hash, dimensions = excluded.dimensions,
    vector = excluded.vector, incomplete = excluded.incomplete, created_at = now()
)
select made.job, done.job is not null as finished,
  done.job is null and exists (select from memory m
    join embedding_job j on j.id = made.job and j.state || '' = 'running' and j.attempt = made.attempt and j.leased_by = $2
      and j.content_hash = made.content_hash and j.lease_until > coalesce($1::timestamptz, now())
    where m.id = made.memory and m.owner = made.owner and m.project = made.project
      and m.content_hash = made.content_hash) as busy
from made
left join done on done.job = made.job
