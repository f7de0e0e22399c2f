-- The memories that a filter admits. $1 owner, $2 project, $3 session or null, $4 kinds, $5 whether also superseded ones
select id from memory
where owner = $1 and project = $2 and ($3::text is null or session = $3) and kind = any($4::text[])
  and ($5 or not superseded)
