-- Of a session the newest checkpoints and injections are kept, $4 and $5 of them.
with old_checkpoints as (
  select chain from conversation_checkpoint
  where owner = $1 and project = $2 and session = $3
  order by accepted_at desc, messages desc offset $4
), old_injections as (
  select chain from conversation_injection
  where owner = $1 and project = $2 and session = $3
  order by accepted_at desc offset $5
), checkpoints as (
  delete from conversation_checkpoint
  where owner = $1 and project = $2 and session = $3 and chain in (select chain from old_checkpoints)
)
delete from conversation_injection
where owner = $1 and project = $2 and session = $3 and chain in (select chain from old_injections)
