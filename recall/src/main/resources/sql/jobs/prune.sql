-- Finished jobs are of no use once nobody asks what happened; failed ones stay until they are retried.
delete from embedding_job
where id in (
  select id from embedding_job
  where state in ('done', 'cancelled')
    and finished_at < coalesce($1::timestamptz, now()) - $2 * interval '1 millisecond'
  order by finished_at
  limit 5000)
returning id
