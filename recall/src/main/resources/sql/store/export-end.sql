-- The place of the newest memory: an export goes so far.
select coalesce(max(position), 0) as position from memory where owner = $1 and project = $2
