-- A block and its postings. The lock on one of its memories is there for whoever removes them all meanwhile: they wait, and
-- then see the block. No row: that memory is gone already.
-- $1 owner, $2 project, $3 first position, $4 last position, $5 memories, $6 marks, $7 words, $8 postings of each,
-- $9 position of one of the memories
with held as materialized (
  select m.position from memory m where m.owner = $1 and m.project = $2 and m.position = $9 for key share
), block as (
  insert into word_block (owner, project, first_position, last_position, memories, marks)
  select $1, $2, $3, $4, $5, $6 from held
  returning first_position
), stored as (
  insert into word_posting (owner, project, word, first_position, postings)
  select $1, $2, p.word, b.first_position, p.postings
  from block b cross join unnest($7::bigint[], $8::bytea[]) as p (word, postings)
)
select first_position from block
