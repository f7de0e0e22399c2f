-- Memories with any of the chosen terms. $4 are all terms of the question, and only they are sent: the
-- words without those that are not asked for.
-- $1 owner, $2 project, $3 tsquery of the chosen terms, $4 terms, $5 kinds, $6 most rows
select id, word_count, ts_delete(words, tsvector_to_array(ts_delete(words, $4::text[])))::text as words
from memory
where owner = $1 and project = $2 and words @@ $3::text::tsquery and kind = any($5::text[])
limit $6
