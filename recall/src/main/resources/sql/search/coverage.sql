-- How many memories there are, and how many have a vector of the model. $1 owner, $2 project, $3 fingerprint
select
  (select count(*) from memory where owner = $1 and project = $2) as memories,
  (select count(*) from memory_vector
    where owner = $1 and project = $2 and fingerprint = $3 and passage = 0) as embedded
