-- A session is removed: so is what was kept of it besides its memories.
with checkpoints as (
  delete from conversation_checkpoint where owner = $1 and project = $2 and session = $3
)
delete from conversation_injection where owner = $1 and project = $2 and session = $3
