-- $1 memory, $2 fingerprint, $3 passage, $4 owner, $5 project, $6 values
insert into memory_vector_derived (memory_id, fingerprint, passage, owner, project, embedding)
values ($1, $2, $3, $4, $5, $6::real[]::vector)
on conflict (memory_id, fingerprint, passage) do update set embedding = excluded.embedding
