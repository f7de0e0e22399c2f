-- For a term that a large share of the memories have: those among the newest. The inner limit bounds the walk whatever
-- the planner believes of the term.
-- $1 owner, $2 project, $3 tsquery of the chosen terms, $4 terms, $5 kinds, $6 most rows, $7 how many to walk,
-- $8 a tsquery for each phrase, $9 whether also superseded ones, $10 only after this position
select id, pinned, word_count,
  tsvectorsend(case when pg_column_size(words) < 2000 then words
    else ts_delete(words, tsvector_to_array(ts_delete(words, $4::text[]))) end) as words,
  (select coalesce(sum(1 << (n - 1)::int), 0)::int from unnest($8::text[]) with ordinality p (query, n)
    where words @@ query::tsquery) as phrases
from (
  select id, pinned, word_count, words, position
  from memory
  where owner = $1 and project = $2 and kind = any($5::text[]) and ($9 or not superseded)
    and position > $10
  order by position desc
  limit $7
) newest
where words @@ $3::text::tsquery
order by position desc
limit $6
