-- The postings of some words, newest block first; at least one row for each block, so that it is known how far they go.
-- $1 owner, $2 project, $3 words, $4 most blocks
select b.first_position, b.last_position, p.word, p.postings
from (
  select first_position, last_position
  from word_block
  where owner = $1 and project = $2
  order by first_position desc
  limit $4
) b
left join lateral (
  select x.word, x.postings
  from word_posting x
  where x.owner = $1 and x.project = $2 and x.word = any ($3::bigint[]) and x.first_position = b.first_position
) p on true
order by b.first_position desc
