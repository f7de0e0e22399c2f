-- Memories by id; the caller has the order. They are looked up behind a fence (offset 0), and the scope is compared after:
-- the plan is kept, and must not be to walk through a scope. $1 owner, $2 project, $3 ids, $4 fingerprint of the active model or null
select m.id, m.external_id, m.kind, m.role, m.author, m.session, m.content, m.content_hash, m.occurred_at, m.pinned,
  m.metadata, m.version, m.position, m.created_at, m.updated_at,
  array(select coalesce(l.superseded::text, l.reference) from memory_supersedes l where l.superseding = m.id order by 1)
    as supersedes,
  array(select l.superseding from memory_supersedes l where l.superseded = m.id order by 1) as superseded_by,
  coalesce(a.recalls, 0) as access_count, a.last_at as last_accessed_at,
  case
    when e.passages is not null then 'embedded'
    when exists (select from embedding_job j
      where j.memory_id = m.id and j.state in ('available', 'running', 'retryable')) then 'pending'
    when exists (select from embedding_job j
      where j.memory_id = m.id and j.state = 'failed' and j.content_hash = m.content_hash) then 'failed'
    else 'pending'
  end as state,
  coalesce(e.passages, 0) as passages, coalesce(e.incomplete, false) as incomplete
from unnest($3::uuid[]) wanted (id)
cross join lateral (
  select x.id, x.owner, x.project, x.external_id, x.kind, x.role, x.author, x.session, x.content, x.content_hash,
    x.occurred_at, x.pinned, x.metadata, x.version, x.position, x.created_at, x.updated_at
  from memory x where x.id = wanted.id offset 0
) m
left join memory_access a on a.memory_id = m.id
left join lateral (
  select count(*)::integer as passages, bool_or(v.incomplete) as incomplete
  from memory_vector v
  where v.memory_id = m.id and ($4::text is null or v.fingerprint = $4) and v.content_hash = m.content_hash
  group by v.fingerprint
  having count(*) = max(v.passages)
  order by v.fingerprint
  limit 1) e on true
where m.owner = $1 and m.project = $2
