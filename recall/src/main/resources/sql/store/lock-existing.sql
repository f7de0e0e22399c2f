-- The memories that have these external ids, locked in the one order every writer uses. Their content is compared by
-- hash and need not be read. $4 is the fingerprint of the active model.
select m.id, m.external_id, m.kind, m.role, m.author, m.session, m.content_hash, m.occurred_at, m.pinned, m.metadata,
  m.version,
  array(select coalesce(l.superseded::text, l.reference) from memory_supersedes l where l.superseding = m.id order by 1)
    as supersedes,
  array(select l.reference from memory_supersedes l where l.superseding = m.id order by 1) as supersedes_as_named,
  case
    when exists (select from memory_vector v
      where v.memory_id = m.id and v.fingerprint = $4 and v.content_hash = m.content_hash
      having count(*) = max(v.passages)) then 'embedded'
    when exists (select from embedding_job j
      where j.memory_id = m.id and j.state in ('available', 'running', 'retryable')) then 'pending'
    when exists (select from embedding_job j
      where j.memory_id = m.id and j.state = 'failed' and j.content_hash = m.content_hash) then 'failed'
    else 'pending'
  end as state
from memory m
where m.owner = $1 and m.project = $2 and m.external_id = any ($3)
order by m.external_id
for update of m
