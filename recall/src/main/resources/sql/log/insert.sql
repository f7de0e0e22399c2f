-- One recall. $1 now, $2 seconds since, $3 recall, $4 owner, $5 project, $6 requested, $7 served, $8 failure, $9 reason,
-- $10 hash, $11 characters, $12 text, $13 truncated, $14 narrowed, $15 lexical, $16 vector, $17 both, $18 hits,
-- $19 coverage; spans in milliseconds: $20 total, $21 embedding, $22 lexical, $23 vector, $24 fusion
insert into recall_log (at, recall_id, owner, project, requested, served, failure, reason,
  query_hash, query_chars, query_text, query_truncated, narrowed, lexical_found, vector_found, found, hits,
  coverage, total_ms, embedding_ms, lexical_ms, vector_ms, fusion_ms)
values (coalesce($1::timestamptz, now()) - make_interval(secs => $2), $3, $4, $5, $6, $7, $8, $9,
  $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
