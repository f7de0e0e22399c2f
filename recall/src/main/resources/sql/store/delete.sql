-- One memory; its jobs and vectors go with it. What has a name in a conversation is named.
delete from memory where owner = $1 and project = $2 and id = $3
returning id, case when kind = 'turn' then external_id end as turn
