-- A page of memories, in the order of their ids. Those without all their vectors of the active model and without a job
-- that would make them, as after a change of the model, get a job behind all new writes. Failed ones wait for an operator.
-- The page is an array where vectors of other models are looked for: as a join, with hardly any of them, all vectors of
-- all memories would be read instead.
-- What probes have written is left out: they embed it themselves, and it is nobody's job.
-- $1 now, $2 fingerprint, $3 last memory of the page before, $4 most memories, $5 the probes' owner
with page as materialized (
  select id, owner, project, content_hash from memory where id > $3 and owner <> $5
  order by id limit $4
), missing as materialized (
  select p.id, p.owner, p.project, p.content_hash,
    exists (select from embedding_job j where j.memory_id = p.id and j.state in ('available', 'running', 'retryable'))
      as open,
    exists (select from embedding_job j where j.memory_id = p.id and j.state = 'failed'
      and j.content_hash = p.content_hash) as failed
  from page p
  where not exists (select from memory_vector v
    where v.memory_id = p.id and v.fingerprint = $2 and v.content_hash = p.content_hash
    having count(*) = max(v.passages))
), opened as (
  insert into embedding_job (memory_id, owner, project, content_hash, priority, available_at, created_at)
  select id, owner, project, content_hash, 2, coalesce($1::timestamptz, now()), coalesce($1::timestamptz, now())
  -- Held, so that none is removed before its job refers to it; what somebody removes now needs none.
  from (select x.* from missing x join memory m on m.id = x.id where not x.open and not x.failed
    order by m.id for key share of m skip locked) kept
  on conflict do nothing
  returning id
)
select (select count(*) from page) as memories, (select id from page order by id desc limit 1) as last,
  (select count(*) from opened) as opened, (select count(*) from missing where open) as pending,
  (select (extract(epoch from now() - max(v.created_at)) * 1000)::bigint
    from memory_vector v
    where v.memory_id = any (array(select id from page)) and v.fingerprint <> $2) as youngest_other_millis
