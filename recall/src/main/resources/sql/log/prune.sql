-- Removes the oldest of what is too old, whosever. $1 now, $2 days that are kept, $3 at most
with old as (
  select id
  from recall_log
  where at < coalesce($1::timestamptz, now()) - make_interval(days => $2)
  order by at
  limit $3
  for update skip locked
), old_given as materialized (
  select ctid as place
  from recall_log_given
  where at < coalesce($1::timestamptz, now()) - make_interval(days => $2)
  order by at
  limit $3
  for update skip locked
), given as (
  delete from recall_log_given where ctid in (select place from old_given)
)
delete from recall_log l using old where l.id = old.id
