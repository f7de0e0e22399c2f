-- What was put into a message, unless one of its memories was removed or changed while the turn was going on. They are
-- locked until this is committed: whoever changes one then finds what is written here. $9 versions of $6
insert into conversation_injection (owner, project, session, chain, block, memories, pinned, accepted_at)
select $1, $2, $3, $4, $5, $6::uuid[], $7::jsonb, coalesce($8::timestamptz, now())
where (select count(*) from (
    select m.id
    from memory m join unnest($6::uuid[], $9::bigint[]) as s (id, version) on s.id = m.id and s.version = m.version
    where m.owner = $1 and m.project = $2
    order by m.id
    for share of m) present)
  = cardinality($6::uuid[])
on conflict (owner, project, session, chain) do update
set block = excluded.block, memories = excluded.memories, pinned = excluded.pinned, accepted_at = excluded.accepted_at
