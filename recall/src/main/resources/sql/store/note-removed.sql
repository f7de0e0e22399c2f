-- These turns are not to be remembered again. $3 external ids, $4 instant or null
insert into memory_removed (owner, project, external_id, removed_at)
select $1, $2, external_id, coalesce($4::timestamptz, now()) from unnest($3::text[]) as r (external_id)
order by external_id
on conflict (owner, project, external_id) do update set removed_at = excluded.removed_at
