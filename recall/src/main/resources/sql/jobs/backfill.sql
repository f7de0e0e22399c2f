-- Memories without a vector of the active model and without a job that would make one, as after a change of the model:
-- a bounded number of them gets a job behind all new writes. Failed ones wait for an operator.
insert into embedding_job (memory_id, owner, project, content_hash, priority, available_at, created_at)
select m.id, m.owner, m.project, m.content_hash, 2, coalesce($1::timestamptz, now()), coalesce($1::timestamptz, now())
from memory m
where not exists (select from memory_vector v
    where v.memory_id = m.id and v.fingerprint = $2 and v.content_hash = m.content_hash)
  and not exists (select from embedding_job j where j.memory_id = m.id
    and (j.state in ('available', 'running', 'retryable') or (j.state = 'failed' and j.content_hash = m.content_hash)))
limit $3
on conflict do nothing
returning id
