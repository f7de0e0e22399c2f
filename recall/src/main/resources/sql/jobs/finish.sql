-- The fence: only this attempt, under a lease that has not run out, may finish the job.
update embedding_job
set state = 'done', finished_at = coalesce($1::timestamptz, now()), leased_by = null, lease_until = null
where id = $2 and state = 'running' and attempt = $3 and leased_by = $4 and content_hash = $5
  and lease_until > coalesce($1::timestamptz, now())
returning id
