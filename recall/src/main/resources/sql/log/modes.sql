-- Latency and outcomes of a scope's newest recalls, by the mode asked for. Spans are of those that were answered; a
-- knowledge gap is an answer without hits from which nothing was left out.
-- $1 owner, $2 project, $3 now, $4 seconds to look back, $5 at most so many recalls, $6 milliseconds from which one is slow
with seen as materialized (
  select requested, failure, reason, hits, query_chars, total_ms
  from recall_log
  where owner = $1 and project = $2 and at > coalesce($3::timestamptz, now()) - make_interval(secs => $4)
  order by at desc
  limit $5
)
select requested,
  count(*) as n,
  count(*) filter (where failure is not null and failure <> 'cancelled') as failed,
  count(*) filter (where failure = 'cancelled') as cancelled,
  count(*) filter (where failure is null and total_ms >= $6) as slow,
  count(*) filter (where failure is null and reason is null and hits = 0 and query_chars > 0) as gaps,
  percentile_cont(array[0.5, 0.8, 0.9, 0.95, 0.99]) within group (order by total_ms)
    filter (where failure is null) as spans,
  max(total_ms) filter (where failure is null) as longest
from seen
group by requested
order by requested
