-- What waited for memories that are there now. $1 owner, $2 project, $3 new memories, $4 what each may be called
update memory_supersedes l
set superseded = n.id
from unnest($3::uuid[], $4::text[]) as n (id, name)
where l.owner = $1 and l.project = $2 and l.superseded is null and l.reference = n.name and l.superseding <> n.id
