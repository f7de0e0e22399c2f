-- As candidates.sql, in one session, which the index on sessions finds.
-- $1 owner, $2 project, $3 tsquery of the terms, $4 terms, $5 kinds, $6 most rows, $7 session,
-- $8 a tsquery for each phrase, $9 whether also superseded ones
select id, pinned, word_count,
  tsvectorsend(case when pg_column_size(words) < 2000 then words
    else ts_delete(words, tsvector_to_array(ts_delete(words, $4::text[]))) end) as words,
  (select coalesce(sum(1 << (n - 1)::int), 0)::int from unnest($8::text[]) with ordinality p (query, n)
    where words @@ query::tsquery) as phrases
from memory
where owner = $1 and project = $2 and session = $7 and words @@ $3::text::tsquery and kind = any($5::text[])
  and ($9 or not superseded)
order by position desc
limit $6
