-- As candidates.sql, in one session, which the index on sessions finds.
-- $1 owner, $2 project, $3 tsquery of the terms, $4 terms, $5 kinds, $6 most rows, $7 session
select id, word_count, ts_delete(words, tsvector_to_array(ts_delete(words, $4::text[])))::text as words
from memory
where owner = $1 and project = $2 and session = $7 and words @@ $3::text::tsquery and kind = any($5::text[])
order by position desc
limit $6
