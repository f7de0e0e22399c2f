-- The words of authors' names, and in how many memories each is. $1 owner, $2 project, $3 most words
select word, ndoc
from ts_stat(format('select words from memory where owner = %L and project = %L', $1::text, $2::text), 'a')
order by ndoc desc, word
limit $3
