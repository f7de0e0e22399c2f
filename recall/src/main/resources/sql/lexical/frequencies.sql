-- In how many memories each word was said. How rare a word is, is a matter of what was said: a name in every second
-- memory's author field, or a year in every date, would make the same word in a text look worthless. Words of one memory
-- are left out, since that is what a missing word counts as. $1 owner, $2 project, $3 most words
select word, ndoc
from ts_stat(format('select words from memory where owner = %L and project = %L', $1::text, $2::text), 'd')
where ndoc > 1
order by ndoc desc, word
limit $3
