-- A page of vectors that are not derived yet; locked, so that none goes while it is copied.
-- $1, $2, $3 memory, fingerprint and passage where the last page ended, $4 most rows
select v.memory_id, v.fingerprint, v.passage, v.owner, v.project, v.vector
from memory_vector v
where (v.memory_id, v.fingerprint, v.passage) > ($1, $2, $3)
  and not exists (select from memory_vector_derived d
    where d.memory_id = v.memory_id and d.fingerprint = v.fingerprint and d.passage = v.passage)
order by v.memory_id, v.fingerprint, v.passage
limit $4
for key share of v
