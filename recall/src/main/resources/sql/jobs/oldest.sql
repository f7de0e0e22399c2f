-- Age of the oldest job of a scope that has not ended.
select coalesce(extract(epoch from coalesce($3::timestamptz, now()) - min(created_at)) * 1000, 0)::bigint as age_millis
from embedding_job
where owner = $1 and project = $2 and state in ('available', 'running', 'retryable')
