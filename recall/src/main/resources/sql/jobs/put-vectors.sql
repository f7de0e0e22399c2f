-- All passages of a memory for one model; passages of a longer text before it go.
with surplus as (
  delete from memory_vector
  where memory_id = $3 and owner = $1 and project = $2 and fingerprint = $4 and not passage = any ($6::integer[])
)
insert into memory_vector (memory_id, fingerprint, passage, owner, project, content_hash, dimensions, vector)
select $3, $4, v.passage, $1, $2, $5, length(v.vector) / 4, v.vector
from unnest($6::integer[], $7::bytea[]) as v (passage, vector)
on conflict (memory_id, fingerprint, passage) do update
set content_hash = excluded.content_hash, dimensions = excluded.dimensions, vector = excluded.vector, created_at = now()
