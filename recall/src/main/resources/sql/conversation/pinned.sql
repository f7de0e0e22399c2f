-- The pinned memories of the scope, oldest first, so that a new one does not move the others; $3 at most.
select m.id, m.external_id, m.kind, m.role, m.author, m.session, m.content, m.content_hash, m.occurred_at, m.pinned,
  m.metadata, m.version, m.position, m.created_at, m.updated_at,
  'pending' as state, 0 as passages, false as incomplete
from memory m
where m.owner = $1 and m.project = $2 and m.pinned
order by m.position
limit $3
