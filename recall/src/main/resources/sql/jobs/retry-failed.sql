-- Failed jobs of a scope start over, if nothing newer exists for their memory and its content is still the same.
update embedding_job j
set state = 'available', failures = 0, finished_at = null, available_at = coalesce($3::timestamptz, now())
from memory m
where j.owner = $1 and j.project = $2 and j.state = 'failed' and m.id = j.memory_id and m.content_hash = j.content_hash
  and j.id = (select max(newest.id) from embedding_job newest where newest.memory_id = j.memory_id)
returning j.id
