-- Why answers of a scope's newest recalls were less than asked for.
-- $1 owner, $2 project, $3 now, $4 seconds to look back, $5 at most so many recalls
with seen as materialized (
  select requested, reason
  from recall_log
  where owner = $1 and project = $2 and at > coalesce($3::timestamptz, now()) - make_interval(secs => $4)
  order by at desc
  limit $5
)
select requested, reason, count(*) as n
from seen
where reason is not null
group by requested, reason
order by requested, reason
