-- Literal occurrences, newest first; nothing narrows the search.
-- $1 owner, $2 project, $3 literal, $4 kinds, $5 most rows, $6 session or null, $7 whether also superseded ones
select id from memory
where owner = $1 and project = $2 and kind = any($4::text[]) and ($6::text is null or session = $6)
  and ($7 or not superseded)
  and position($3::text in content) > 0
order by position desc
limit $5
