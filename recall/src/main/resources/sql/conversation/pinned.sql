-- The pinned memories of the scope that nothing supersedes, oldest first, so that a new one does not move the others; $3
-- at most. What they supersede and how often they are recalled is not asked here.
select m.id, m.external_id, m.kind, m.role, m.author, m.session, m.content, m.content_hash, m.occurred_at, m.pinned,
  m.metadata, m.version, m.position, m.created_at, m.updated_at,
  '{}'::text[] as supersedes, '{}'::uuid[] as superseded_by,
  0::bigint as access_count, null::timestamptz as last_accessed_at,
  'pending' as state, 0 as passages, false as incomplete
from memory m
where m.owner = $1 and m.project = $2 and m.pinned and not m.superseded
order by m.position
limit $3
