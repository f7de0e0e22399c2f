-- Whether the memory still has the content that was embedded; it keeps it until this transaction ends. Writers lock the
-- memory before its job, and so do we.
select id from memory where owner = $1 and project = $2 and id = $3 and content_hash = $4 for share
