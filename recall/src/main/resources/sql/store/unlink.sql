-- These memories supersede nothing any more. $1 owner, $2 project, $3 memories
delete from memory_supersedes where owner = $1 and project = $2 and superseding = any ($3::uuid[])
