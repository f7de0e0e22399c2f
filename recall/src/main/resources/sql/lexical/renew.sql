-- New words of unchanged contents: whoever changed a memory meanwhile has written its words, too. The version stays, for
-- nobody's memory has changed. Locked in the order of ids; those that a writer holds are left for the next pass.
with changes as (
  select *
  from unnest($1::uuid[], $2::bigint[], $3::text[], $4::integer[], $5::boolean[], $6::text[], $7::text[])
    as c (id, version, words, word_count, words_truncated, language, analysis)
), held as materialized (
  select m.id from memory m join changes c on c.id = m.id and c.version = m.version
  order by m.id
  for update of m skip locked
)
update memory m
set words = c.words::tsvector, word_count = c.word_count, words_truncated = c.words_truncated,
  language = c.language, analysis = c.analysis
from changes c join held h on h.id = c.id
where m.id = c.id
returning m.id
