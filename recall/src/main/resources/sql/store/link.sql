-- What memories supersede. A reference is an id of the scope, an external id of it, or the id that an exported memory
-- has in this scope, in this order. Rows are made in the order of what is superseded, which they lock.
-- $1 owner, $2 project, $3 superseding, $4 references, $5 those that may be ids, $6 what these are here if exported
with found as materialized (
  select g.superseding, g.reference, coalesce(
    (select m.id from memory m where m.id = g.id and m.owner = $1 and m.project = $2),
    (select m.id from memory m where m.owner = $1 and m.project = $2 and m.external_id = g.reference),
    (select m.id from memory m where m.id = g.restored and m.owner = $1 and m.project = $2)) as superseded
  from unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[]) as g (superseding, reference, id, restored)
)
insert into memory_supersedes (superseding, reference, superseded, owner, project)
select superseding, reference, superseded, $1, $2 from found order by superseded, superseding, reference
returning superseding, reference, superseded
