-- What a turn was given after a recall, pinned memories and all. $4 recall, $5 ids, $6 instant or null
insert into recall_log_given (owner, project, session, recall_id, memories, at)
values ($1, $2, $3, $4, $5::uuid[], coalesce($6::timestamptz, now()))
