-- How many vectors a scope has, counted no further than needed. $1 owner, $2 project, $3 fingerprint, $4 no further
select count(*) from (
  select 1 from memory_vector_derived where owner = $1 and project = $2 and fingerprint = $3 limit $4
) counted
