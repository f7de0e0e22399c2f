-- A page, newest first, from below the position $4. $3 is the fingerprint of the active model.
select m.id, m.external_id, m.kind, m.role, m.author, m.session, m.content, m.content_hash, m.occurred_at, m.pinned,
  m.metadata, m.version, m.position, m.created_at, m.updated_at, s.state,
  array(select coalesce(l.superseded::text, l.reference) from memory_supersedes l where l.superseding = m.id order by 1)
    as supersedes,
  array(select l.superseding from memory_supersedes l where l.superseded = m.id order by 1) as superseded_by,
  coalesce(a.recalls, 0) as access_count, a.last_at as last_accessed_at,
  coalesce(e.passages, 0) as passages, coalesce(e.incomplete, false) as incomplete
from memory m
left join memory_access a on a.memory_id = m.id
left join lateral (
  select count(*)::integer as passages, bool_or(v.incomplete) as incomplete
  from memory_vector v
  where v.memory_id = m.id and v.fingerprint = $3 and v.content_hash = m.content_hash
  having count(*) = max(v.passages)) e on true
cross join lateral (select
  case
    when e.passages is not null then 'embedded'
    when exists (select from embedding_job j
      where j.memory_id = m.id and j.state in ('available', 'running', 'retryable')) then 'pending'
    when exists (select from embedding_job j
      where j.memory_id = m.id and j.state = 'failed' and j.content_hash = m.content_hash) then 'failed'
    else 'pending'
  end as state) s
where m.owner = $1 and m.project = $2
  and ($4::bigint is null or m.position < $4)
  and ($5::text is null or m.session = $5)
  and ($6::text is null or m.kind = $6)
  and ($7::text is null or s.state = $7)
order by m.position desc
limit $8
