-- What was committed since the horizon, and the next horizon, in one snapshot. The upper bound leaves out transaction
-- numbers of another cluster, which a restored backup brings along.
-- $1 owner, $2 project, $3 fingerprint, $4 horizon, $5 most rows
select pg_current_snapshot()::text as horizon, changed.memory_id, changed.passage, changed.vector
from (select 1) one
left join (
  select memory_id, passage, vector
  from memory_vector
  where owner = $1 and project = $2 and fingerprint = $3
    and changed_by >= pg_snapshot_xmin($4::text::pg_snapshot)
    and changed_by < pg_snapshot_xmax(pg_current_snapshot())
    and not pg_visible_in_snapshot(changed_by, $4::text::pg_snapshot)
  limit $5
) changed on true
