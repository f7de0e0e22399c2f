-- What was put into a message, unless one of its memories was removed while the turn was going on.
insert into conversation_injection (owner, project, session, chain, block, memories, pinned, accepted_at)
select $1, $2, $3, $4, $5, $6::uuid[], $7::jsonb, coalesce($8::timestamptz, now())
where (select count(*) from (
    select id from memory where owner = $1 and project = $2 and id = any ($6::uuid[]) for key share) present)
  = cardinality($6::uuid[])
on conflict (owner, project, session, chain) do update
set block = excluded.block, memories = excluded.memories, pinned = excluded.pinned, accepted_at = excluded.accepted_at
