-- Long memories are embedded in passages.

-- Whether text of the memory is missing in this passage or after it: more than the model's window, or more passages
-- than a memory may have. Such text is found by its words only.
alter table memory_vector add column incomplete boolean not null default false;

-- Memories that were embedded by their beginning alone are embedded again, behind all new writes. Shorter ones fit any
-- window.
insert into embedding_job (memory_id, owner, project, content_hash, priority)
select m.id, m.owner, m.project, m.content_hash, 2
from memory m
where length(m.content) > 400 and exists (select from memory_vector v where v.memory_id = m.id)
on conflict do nothing;
