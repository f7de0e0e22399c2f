-- How far turns of this session were accepted, newest first.
select chain, messages, window_start, shortened_until, window_tokens, counted, tokenizer
from conversation_checkpoint
where owner = $1 and project = $2 and session = $3
order by accepted_at desc, messages desc
limit $4
