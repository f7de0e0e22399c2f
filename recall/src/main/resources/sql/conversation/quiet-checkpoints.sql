-- The oldest that nothing has touched for so long; what is in use just now is left for the next round. $1 instant or
-- null, $2 days, $3 most rows
with old as materialized (
  select ctid as place
  from conversation_checkpoint
  where accepted_at < coalesce($1::timestamptz, now()) - $2 * interval '24 hours'
  order by accepted_at
  limit $3
  for update skip locked
)
delete from conversation_checkpoint where ctid in (select place from old)
