-- What is put into a block: the memories of a scope from one position on, as far as another, but for superseded ones.
-- A mark has 48 bits, so that those of all positions of a block have a sum.
-- $1 owner, $2 project, $3 first position, $4 last position, $5 most memories
select position, word_count, words::text as words,
  hashint8extended(position, version + hashtext(analysis)) >> 16 as mark
from memory
where owner = $1 and project = $2 and position >= $3 and position <= $4 and not superseded
order by position
limit $5
