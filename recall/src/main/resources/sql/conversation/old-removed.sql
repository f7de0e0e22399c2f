-- The oldest that nothing has touched for so long; what is in use just now is left for the next round. $1 instant or
-- null, $2 days, $3 most rows
with old as materialized (
  select ctid as place
  from memory_removed
  where removed_at < coalesce($1::timestamptz, now()) - $2 * interval '24 hours'
  order by removed_at
  limit $3
  for update skip locked
)
delete from memory_removed where ctid in (select place from old)
