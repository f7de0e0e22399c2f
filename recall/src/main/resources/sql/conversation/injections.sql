-- What was put into these messages. $4 chains
select chain, block, memories, pinned
from conversation_injection
where owner = $1 and project = $2 and session = $3 and chain = any ($4::bytea[])
