-- Which of these memories are by an author that the question names.
-- $1 owner, $2 project, $3 ids, $4 tsquery over the author field
select id from memory
where owner = $1 and project = $2 and id = any($3::uuid[]) and words @@ $4::text::tsquery
