-- All passages of some memories for one model; passages of longer texts before them go.
-- $1 fingerprint; memories: $2 ids, $3 how many passages each has; one entry for each passage: $4 owners, $5 projects,
-- $6 memories, $7 content hashes, $8 passages, $9 vectors, $10 whether text is missing in it or after it
with surplus as (
  delete from memory_vector v
  using unnest($2::uuid[], $3::integer[]) as k (memory_id, passages)
  where v.memory_id = k.memory_id and v.fingerprint = $1 and v.passage >= k.passages
)
insert into memory_vector
  (memory_id, fingerprint, passage, owner, project, content_hash, dimensions, vector, incomplete)
select v.memory_id, $1, v.passage, v.owner, v.project, v.content_hash, length(v.vector) / 4, v.vector, v.incomplete
from unnest($4::text[], $5::text[], $6::uuid[], $7::bytea[], $8::integer[], $9::bytea[], $10::boolean[])
  as v (owner, project, memory_id, content_hash, passage, vector, incomplete)
on conflict (memory_id, fingerprint, passage) do update
set content_hash = excluded.content_hash, dimensions = excluded.dimensions, vector = excluded.vector,
  incomplete = excluded.incomplete, created_at = now()
