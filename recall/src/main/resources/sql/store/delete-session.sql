-- A bounded number of a session's memories, so that a long session is no long transaction. What has a name in a
-- conversation is named.
delete from memory
where id in (select id from memory where owner = $1 and project = $2 and session = $3 order by id limit $4 for update)
  and owner = $1 and project = $2
returning id, case when kind = 'turn' then external_id end as turn
