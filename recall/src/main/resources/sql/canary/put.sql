-- A row that a probe owns, with its vector if it has one; there is never a job for it. What is there already under its id
-- becomes as given. $1 id, $2 owner, $3 project, $4 content, $5 hash, its words: $6 vector, $7 count, $8 truncated,
-- $9 language, $10 analysis; $11 fingerprint or null, $12 dimensions, $13 vector
with kept as (
  insert into memory (id, owner, project, kind, content, content_hash, pinned, words, word_count, words_truncated,
    language, analysis)
  values ($1, $2, $3, 'note', $4, decode($5, 'hex'), true, $6::text::tsvector, $7, $8, $9, $10)
  on conflict (id) do update
  set content = excluded.content, content_hash = excluded.content_hash, words = excluded.words,
    word_count = excluded.word_count, words_truncated = excluded.words_truncated, language = excluded.language,
    analysis = excluded.analysis, updated_at = now()
  where memory.owner = excluded.owner and memory.project = excluded.project
  returning id, content_hash
)
insert into memory_vector (memory_id, fingerprint, passage, passages, owner, project, content_hash, dimensions, vector)
select id, $11, 0, 1, $2, $3, content_hash, $12, $13 from kept where $11::text is not null
on conflict (memory_id, fingerprint, passage) do update
set passages = excluded.passages, content_hash = excluded.content_hash, dimensions = excluded.dimensions,
  vector = excluded.vector, incomplete = false, created_at = now()
