-- Of a scope the newest are kept, $3 of them and what was removed at the same instant as the last of these.
delete from memory_removed
where owner = $1 and project = $2 and removed_at < (
  select removed_at from memory_removed where owner = $1 and project = $2
  order by removed_at desc offset $3 - 1 limit 1)
