-- A scope's memories that nobody has written for so long, oldest first, with their jobs and vectors; pinned ones stay.
-- The picking is materialised, so that no more rows are locked than are removed; rows that a writer holds are left for
-- the next round. $1 owner, $2 project, $3 instant or null, $4 days, $5 most rows
with old as materialized (
  select id
  from memory
  where owner = $1 and project = $2 and not pinned
    and updated_at < coalesce($3::timestamptz, now()) - $4 * interval '24 hours'
  order by updated_at
  limit $5
  for update skip locked
)
delete from memory
where owner = $1 and project = $2 and id in (select id from old)
returning id
