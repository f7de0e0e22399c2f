-- How many memories, how long they are, how many have an author or a date, and in which languages. $1 owner, $2 project
select count(*) as documents, coalesce(avg(word_count), 0)::float8 as average_length,
  count(author) as authored, count(occurred_at) as dated,
  coalesce(array_agg(distinct language), '{}') as languages
from memory
where owner = $1 and project = $2
