-- Which words begin like these, and in how many of the newest memories that have any each is. The inner limits bound
-- what is looked through: memories, and words of them all together.
-- $1 owner, $2 project, $3 tsquery of the beginnings, $4 patterns of LIKE for them, $5 session or null, $6 most memories,
-- $7 most words of these, $8 most rows
select lexeme, count(*)::int as memories
from (
  select words
  from (
    select words, sum(word_count) over (order by position desc) - word_count as words_before
    from (
      select words, word_count, position
      from memory
      where owner = $1 and project = $2 and ($5::text is null or session = $5) and words @@ $3::text::tsquery
      order by position desc
      limit $6
    ) newest
  ) counted
  where words_before < $7
) chosen
cross join lateral unnest(words) word
where lexeme like any ($4::text[])
group by lexeme
order by memories desc, lexeme
limit $8
