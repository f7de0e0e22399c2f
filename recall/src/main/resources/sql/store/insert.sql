-- New memories and their jobs, all or none. Memories whose external id, or id, exists by now are left out: the caller
-- reads and updates those. Rows are inserted in the order of these ids, so that two writers of the same ones wait for
-- each other instead of deadlocking; positions are drawn before, in the order of the drafts.
with drafts as materialized (
  select d.*, nextval(pg_get_serial_sequence('memory', 'position')) as position
  from unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
      $12::timestamptz[], $13::boolean[], $14::text[], $15::text[], $16::integer[], $17::boolean[], $18::text[],
      $19::text[])
    as d (id, external_id, kind, role, author, session, content, content_hash,
      occurred_at, pinned, metadata, words, word_count, words_truncated, language, analysis)
), stored as (
  insert into memory (id, owner, project, external_id, kind, role, author, session, content, content_hash, occurred_at,
      pinned, metadata, words, word_count, words_truncated, language, analysis, position, created_at, updated_at)
    overriding system value
  select id, $1, $2, external_id, kind, role, author, session, content, decode(content_hash, 'hex'), occurred_at,
      pinned, metadata::jsonb, words::tsvector, word_count, words_truncated, language, analysis, position,
      coalesce($3::timestamptz, now()), coalesce($3::timestamptz, now())
  from drafts
  order by external_id nulls first, id
  on conflict do nothing
  returning id, content_hash
), jobs as (
  insert into embedding_job (memory_id, owner, project, content_hash, available_at, created_at)
  select id, $1, $2, content_hash, coalesce($3::timestamptz, now()), coalesce($3::timestamptz, now())
  from stored
)
select id from stored
