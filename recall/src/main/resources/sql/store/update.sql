-- Changes memories whose version is still the one that was read; the caller counts the rows.
with changes as (
  select *
  from unnest($4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
      $12::text[], $13::timestamptz[], $14::boolean[], $15::text[], $16::text[], $17::integer[], $18::boolean[],
      $19::text[], $20::text[])
    as c (id, version, external_id, kind, role, author, session, content, content_hash,
      occurred_at, pinned, metadata, words, word_count, words_truncated, language, analysis)
)
update memory m
set external_id = c.external_id, kind = c.kind, role = c.role, author = c.author, session = c.session,
  content = c.content, content_hash = decode(c.content_hash, 'hex'), occurred_at = c.occurred_at, pinned = c.pinned,
  metadata = c.metadata::jsonb, words = c.words::tsvector, word_count = c.word_count,
  words_truncated = c.words_truncated, language = c.language, analysis = c.analysis, version = m.version + 1, updated_at = coalesce($3::timestamptz, now())
from changes c
where m.id = c.id and m.owner = $1 and m.project = $2 and m.version = c.version
returning m.id
