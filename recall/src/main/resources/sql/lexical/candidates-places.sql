-- Memories by their positions, which an index of the scope finds. Its fence (offset 0) is there because the plan is kept, and
-- must not be to walk through a scope. Else as candidates.sql.
-- $1 owner, $2 project, $3 positions, $4 terms, $5 kinds, $6 a tsquery for each phrase, $7 whether also superseded ones
select m.id, m.pinned, m.word_count,
  tsvectorsend(case when pg_column_size(m.words) < 2000 then m.words
    else ts_delete(m.words, tsvector_to_array(ts_delete(m.words, $4::text[]))) end) as words,
  (select coalesce(sum(1 << (n - 1)::int), 0)::int from unnest($6::text[]) with ordinality p (query, n)
    where m.words @@ query::tsquery) as phrases
from unnest($3::bigint[]) wanted (position)
cross join lateral (
  select x.id, x.pinned, x.word_count, x.words, x.kind, x.superseded
  from memory x
  where x.owner = $1 and x.project = $2 and x.position = wanted.position
  offset 0
) m
where m.kind = any($5::text[]) and ($7 or not m.superseded)
