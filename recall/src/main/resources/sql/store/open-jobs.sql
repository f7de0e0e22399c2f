-- A new job for each of these memories and its present content.
insert into embedding_job (memory_id, owner, project, content_hash, available_at, created_at)
select m.id, m.owner, m.project, m.content_hash, coalesce($3::timestamptz, now()), coalesce($3::timestamptz, now())
from memory m
where m.id = any ($4) and m.owner = $1 and m.project = $2
