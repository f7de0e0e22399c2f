-- A part of an export, oldest first, from behind the position $3 up to $4: at most $6 rows, and no more once $7 bytes
-- are passed. The sizes are read without the contents.
select id, external_id, kind, role, author, session, content, occurred_at, pinned, metadata, position,
  array(select coalesce(s.external_id, l.superseded::text, l.reference)
    from memory_supersedes l left join memory s on s.id = l.superseded
    where l.superseding = sized.id order by 1) as supersedes,
  coalesce(a.recalls, 0) as access_count, a.last_at as last_accessed_at
from (
  select page.*, sum(bytes) over (order by position) - bytes as bytes_before
  from (
    select id, external_id, kind, role, author, session, content, occurred_at, pinned, metadata, position,
      octet_length(content) + pg_column_size(metadata) as bytes
    from memory
    where owner = $1 and project = $2 and position > $3 and position <= $4 and ($5::text is null or session = $5)
    order by position
    limit $6
  ) page
) sized
left join memory_access a on a.memory_id = sized.id
where bytes_before < $7
order by position
