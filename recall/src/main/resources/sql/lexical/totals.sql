-- How many memories, how long they are, and in which languages. $1 owner, $2 project
select count(*) as documents, coalesce(avg(word_count), 0)::float8 as average_length,
  coalesce(array_agg(distinct language), '{}') as languages
from memory
where owner = $1 and project = $2
