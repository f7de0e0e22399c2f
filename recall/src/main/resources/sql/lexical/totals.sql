-- How many memories, and how long they are. $1 owner, $2 project
select count(*) as documents, coalesce(avg(word_count), 0)::float8 as average_length
from memory
where owner = $1 and project = $2
