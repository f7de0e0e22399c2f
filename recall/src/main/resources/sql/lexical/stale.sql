-- A page of memories in the order of their ids, and which of them have words of another analysis than the present one.
-- $1 last memory of the page before, $2 the present analysis, $3 most memories
with page as materialized (
  select id, analysis, octet_length(content) as bytes from memory where id > $1 order by id limit $3
)
select (select count(*) from page) as memories, (select id from page order by id desc limit 1) as last,
  stale.id, stale.bytes
from (select 1) one
left join page stale on stale.analysis <> $2
order by stale.id
