-- How many memories there are; how many have all their passages in vectors of the model, and how many passages that is;
-- and how many of these have text that no passage holds. $1 owner, $2 project, $3 fingerprint
select
  (select count(*) from memory where owner = $1 and project = $2) as memories,
  count(*) as embedded, coalesce(sum(passages), 0)::bigint as passages, count(*) filter (where incomplete) as incomplete
from (
  select count(*) as passages, bool_or(incomplete) as incomplete
  from memory_vector
  where owner = $1 and project = $2 and fingerprint = $3
  group by memory_id
  having count(*) = max(passages)) as embedded
