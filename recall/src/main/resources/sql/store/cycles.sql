-- Which of these memories would supersede themselves, over however many others. $1 memories, $2 how many steps at most.
-- One that nothing supersedes is in no circle, so what is new costs nothing.
with recursive reached (start, at, steps) as (
  select superseding, superseded, 1 from memory_supersedes
  where superseding = any ($1::uuid[]) and superseded is not null
    and exists (select from memory_supersedes i where i.superseded = memory_supersedes.superseding)
  union
  select r.start, l.superseded, r.steps + 1
  from reached r join memory_supersedes l on l.superseding = r.at
  where l.superseded is not null and r.at <> r.start and r.steps < $2
)
select distinct start from reached where at = start or steps >= $2
