-- A row that a probe owns, and its vector of a model if it has one. $1 id, $2 owner, $3 project, $4 fingerprint or null
select encode(m.content_hash, 'hex') as content_hash, v.vector
from memory m
left join memory_vector v on v.memory_id = m.id and v.fingerprint = $4 and v.content_hash = m.content_hash
where m.id = $1 and m.owner = $2 and m.project = $3
