-- A sample of a scope's sessions: what was said in a memory, in the one after it, and in one farther on in the session
-- (null where the session is not so long). The place of a memory is hashed, so that the same ones are looked at each
-- time. Of a long text its first words in alphabetical order stand for all.
-- $1 owner, $2 project, $3 one of how many memories, $4 most rows, $5 how much farther on the far one is, $6 most words
select a.session, a.kind,
  (tsvector_to_array(ts_filter(a.words, '{d}')))[1:$6] as here,
  (tsvector_to_array(ts_filter(n.words, '{d}')))[1:$6] as next,
  (tsvector_to_array(ts_filter(f.words, '{d}')))[1:$6] as far
from (
  select session, kind, words, coalesce(occurred_at, 'infinity') as at, position
  from memory
  where owner = $1 and project = $2 and session is not null and (hashint8(position) & 2147483647) % $3 = 0
  limit $4
) a
cross join lateral (
  select p.words
  from memory p
  where p.owner = $1 and p.project = $2 and p.session = a.session
    and (coalesce(p.occurred_at, 'infinity'), p.position) > (a.at, a.position)
  order by coalesce(p.occurred_at, 'infinity'), p.position
  limit 1
) n
left join lateral (
  select p.words
  from memory p
  where p.owner = $1 and p.project = $2 and p.session = a.session
    and (coalesce(p.occurred_at, 'infinity'), p.position) > (a.at, a.position)
  order by coalesce(p.occurred_at, 'infinity'), p.position
  offset $5 - 1
  limit 1
) f on true
