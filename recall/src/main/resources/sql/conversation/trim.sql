-- Of each session the newest checkpoints and injections are kept, $4 and $5 of them; and of the scope none that was not
-- used for $6 days, a bounded number at a time.
with old_checkpoints as (
  (select session, chain from conversation_checkpoint
   where owner = $1 and project = $2 and session = $3
   order by accepted_at desc, messages desc offset $4)
  union
  (select session, chain from conversation_checkpoint
   where owner = $1 and project = $2 and accepted_at < coalesce($7::timestamptz, now()) - make_interval(days => $6)
   order by accepted_at limit 100)
), old_injections as (
  (select session, chain from conversation_injection
   where owner = $1 and project = $2 and session = $3
   order by accepted_at desc offset $5)
  union
  (select session, chain from conversation_injection
   where owner = $1 and project = $2 and accepted_at < coalesce($7::timestamptz, now()) - make_interval(days => $6)
   order by accepted_at limit 100)
), checkpoints as (
  delete from conversation_checkpoint c using old_checkpoints o
  where c.owner = $1 and c.project = $2 and c.session = o.session and c.chain = o.chain
)
delete from conversation_injection i using old_injections o
where i.owner = $1 and i.project = $2 and i.session = o.session and i.chain = o.chain
