-- Literal occurrences among the memories with certain terms, and among those whose words are not all indexed.
-- $1 owner, $2 project, $3 literal, $4 kinds, $5 most rows, $6 session or null, $7 tsquery of the certain terms,
-- $8 whether also superseded ones
select id from (
  select id, position from memory
  where owner = $1 and project = $2 and kind = any($4::text[]) and ($6::text is null or session = $6)
    and ($8 or not superseded)
    and words @@ $7::text::tsquery and not words_truncated and position($3::text in content) > 0
  union all
  select id, position from memory
  where owner = $1 and project = $2 and kind = any($4::text[]) and ($6::text is null or session = $6)
    and ($8 or not superseded)
    and words_truncated and position($3::text in content) > 0
) found
order by position desc
limit $5
