-- A turn was accepted. The same turn again, as when a client repeats a request, replaces what was noted of it.
insert into conversation_checkpoint
  (owner, project, session, chain, messages, window_start, shortened_until, window_tokens, counted, tokenizer, accepted_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11::timestamptz, now()))
on conflict (owner, project, session, chain) do update
set window_start = excluded.window_start, shortened_until = excluded.shortened_until,
  window_tokens = excluded.window_tokens, counted = excluded.counted, tokenizer = excluded.tokenizer,
  accepted_at = excluded.accepted_at
