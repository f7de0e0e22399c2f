-- What is analysed of these memories. $1 ids
select id, version, content, author, occurred_at from memory where id = any ($1::uuid[])
