-- What was made, or is being made, from content that is no longer there. A result that is still on its way finds its
-- job cancelled and commits nothing.
with vectors as (
  delete from memory_vector where memory_id = any ($4) and owner = $1 and project = $2
)
update embedding_job
set state = 'cancelled', finished_at = coalesce($3::timestamptz, now()), leased_by = null, lease_until = null
where memory_id = any ($4) and owner = $1 and project = $2 and state in ('available', 'running', 'retryable')
