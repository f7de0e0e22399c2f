-- The blocks of a scope, and whether each is still what its memories are. $1 owner, $2 project
select b.first_position, b.last_position, b.memories,
  (b.memories, b.marks) is distinct from (m.memories, m.marks) as changed
from word_block b
cross join lateral (
  select count(*) filter (where not m.superseded) as memories,
    coalesce(sum(hashint8extended(m.position, m.version + hashtext(m.analysis)) >> 16) filter (where not m.superseded), 0)::bigint
      as marks
  from memory m
  where m.owner = $1 and m.project = $2 and m.position between b.first_position and b.last_position
) m
where b.owner = $1 and b.project = $2
order by b.first_position
