-- The newest memories. $1 owner, $2 project, $3 kinds, $4 most rows
select id from memory
where owner = $1 and project = $2 and kind = any($3::text[])
order by position desc
limit $4
