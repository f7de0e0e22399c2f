-- Finished jobs are of no use once nobody asks what happened. Failed ones stay until they are retried, unless nobody can
-- retry them: their memory has other content by now, or a newer job.
delete from embedding_job
where id in (
  (select id from embedding_job
  where state in ('done', 'cancelled')
    and finished_at < coalesce($1::timestamptz, now()) - $2 * interval '1 millisecond'
  order by finished_at
  limit 5000)
  union all
  (select j.id from embedding_job j
  where j.state = 'failed'
    and j.finished_at < coalesce($1::timestamptz, now()) - $2 * interval '1 millisecond'
    and (not exists (select from memory m where m.id = j.memory_id and m.content_hash = j.content_hash)
      or exists (select from embedding_job newer where newer.memory_id = j.memory_id and newer.id > j.id))
  order by j.finished_at
  limit 5000))
returning id
