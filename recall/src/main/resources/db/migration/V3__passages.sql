-- Long memories are embedded in passages.

-- Of how many passages this is one; all of them are written and removed together, and whoever counts fewer knows that
-- some are missing. Zero: made before there were passages, perhaps of the text's beginning alone.
alter table memory_vector add column passages integer not null default 1 check (passages >= 0);

-- Whether text of the memory is missing in this passage or after it: more than the model's window, or more passages
-- than a memory may have. Such text is found by its words only.
alter table memory_vector add column incomplete boolean not null default false;

-- Vectors of perhaps only the beginning of a text are searched as before, but count as missing, so that their memories
-- are embedded again, behind all new writes. A token has a byte at least, so shorter texts fit a window of 512 tokens
-- with what is put in front of them.
update memory_vector v set passages = 0 from memory m where m.id = v.memory_id and octet_length(m.content) > 400;

-- Whether all passages are there is counted without reading the vectors.
drop index memory_vector_page;
create index memory_vector_page on memory_vector (owner, project, fingerprint, memory_id, passage)
  include (passages, incomplete);
