-- The newest memories. $1 owner, $2 project, $3 kinds, $4 most rows, $5 whether also superseded ones
select id from memory
where owner = $1 and project = $2 and kind = any($3::text[]) and ($5 or not superseded)
order by position desc
limit $4
