-- Memories with any of the chosen terms. $4 are all terms of the question: a long text sends only what it has of them.
-- $1 owner, $2 project, $3 tsquery of the chosen terms, $4 terms, $5 kinds, $6 most rows
select id, word_count,
  (case when word_count <= 400 then words
    else ts_delete(words, tsvector_to_array(ts_delete(words, $4::text[]))) end)::text as words
from memory
where owner = $1 and project = $2 and words @@ $3::text::tsquery and kind = any($5::text[])
limit $6
