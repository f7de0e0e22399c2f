-- Memories with those around them in their sessions: at most so many before and after each, found by the order of
-- the session alone. Each row names the one that follows it, where that is among the rows. Words are sent as
-- candidates.sql sends them. Memories are looked up by id behind a fence (offset 0), and the scope is compared after:
-- without statistics the planner would rather walk through the whole scope.
-- $1 owner, $2 project, $3 memories whose neighbours are wanted, $4 memories wanted alone, $5 terms,
-- $6 how many neighbours on each side, $7 a tsquery for each phrase
with anchor as materialized (
  select m.id, m.session, coalesce(m.occurred_at, 'infinity') as at, m.position
  from (select distinct id from unnest($3::uuid[]) id) wanted
  cross join lateral (
    select x.id, x.owner, x.project, x.session, x.occurred_at, x.position from memory x where x.id = wanted.id offset 0
  ) m
  where m.owner = $1 and m.project = $2
), chain as (
  select id as anchor, id, at, position from anchor
  union all
  select a.id, n.id, n.at, n.position
  from anchor a
  cross join lateral (
    (select p.id, coalesce(p.occurred_at, 'infinity') as at, p.position
    from memory p
    where p.owner = $1 and p.project = $2 and p.session = a.session
      and (coalesce(p.occurred_at, 'infinity'), p.position) < (a.at, a.position)
    order by coalesce(p.occurred_at, 'infinity') desc, p.position desc
    limit $6)
    union all
    (select p.id, coalesce(p.occurred_at, 'infinity') as at, p.position
    from memory p
    where p.owner = $1 and p.project = $2 and p.session = a.session
      and (coalesce(p.occurred_at, 'infinity'), p.position) > (a.at, a.position)
    order by coalesce(p.occurred_at, 'infinity'), p.position
    limit $6)
  ) n
), linked as (
  select id, lead(id) over (partition by anchor order by at, position) as next from chain
), wanted as (
  select id, (array_agg(next) filter (where next is not null))[1] as next from linked group by id
  union all
  select id, null from unnest($4::uuid[]) alone (id) where not exists (select from chain where chain.id = alone.id)
)
select m.id, w.next, m.kind, m.superseded, m.pinned, m.word_count,
  tsvectorsend(case when pg_column_size(m.words) < 2000 then m.words
    else ts_delete(m.words, tsvector_to_array(ts_delete(m.words, $5::text[]))) end) as words,
  (select coalesce(sum(1 << (n - 1)::int), 0)::int from unnest($7::text[]) with ordinality p (query, n)
    where m.words @@ query::tsquery) as phrases
from wanted w
cross join lateral (
  select x.id, x.owner, x.project, x.kind, x.superseded, x.pinned, x.word_count, x.words from memory x where x.id = w.id offset 0
) m
where m.owner = $1 and m.project = $2
