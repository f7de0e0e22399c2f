-- Of memories that were just written those that somebody had removed. $3 ids
delete from memory m using memory_removed r
where m.owner = $1 and m.project = $2 and m.id = any ($3::uuid[])
  and r.owner = $1 and r.project = $2 and r.external_id = m.external_id
