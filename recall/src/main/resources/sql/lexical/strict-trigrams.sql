-- Literal occurrences by the index on three characters each, in no order; nothing is sorted, so no more rows are read
-- than asked for. A statement with an order would rather walk through the memories from the newest on, which takes long
-- where there are few occurrences.
-- $1 owner, $2 project, $3 pattern of LIKE, $4 kinds, $5 most rows, $6 session or null, $7 whether also superseded ones
select id, position from memory
where owner = $1 and project = $2 and kind = any($4::text[]) and ($6::text is null or session = $6)
  and ($7 or not superseded)
  and content like $3::text
limit $5
