-- Memories with any of the chosen terms. $4 are all terms of the question. Words are sent in the server's own form, which
-- costs it half as much as text; of many words only those that are asked for. Of the phrases, the bits of those that a memory has.
-- $1 owner, $2 project, $3 tsquery of the chosen terms, $4 terms, $5 kinds, $6 most rows,
-- $7 a tsquery for each phrase, $8 whether also superseded ones
select id, pinned, word_count,
  tsvectorsend(case when pg_column_size(words) < 2000 then words
    else ts_delete(words, tsvector_to_array(ts_delete(words, $4::text[]))) end) as words,
  (select coalesce(sum(1 << (n - 1)::int), 0)::int from unnest($7::text[]) with ordinality p (query, n)
    where words @@ query::tsquery) as phrases
from memory
where owner = $1 and project = $2 and words @@ $3::text::tsquery and kind = any($5::text[])
  and ($8 or not superseded)
limit $6
