-- Removes a probe's row, and what a process that ended in the middle has left of others like it.
-- $1 owner, $2 project, $3 id, $4 minutes after which nobody comes back for one
delete from memory
where owner = $1 and project = $2 and (id = $3 or created_at < now() - $4 * interval '1 minute')
returning id
