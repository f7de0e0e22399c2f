-- The newest memories of a session. $1 owner, $2 project, $3 kinds, $4 most rows, $5 session,
-- $6 whether also superseded ones
select id from memory
where owner = $1 and project = $2 and session = $5 and kind = any($3::text[]) and ($6 or not superseded)
order by position desc
limit $4
