-- Which memories stand in for which, and how often each is recalled.

-- A memory that another one supersedes is kept; recall leaves it out for as long as that one is there.
alter table memory add column superseded boolean not null default false;
create index memory_superseded on memory (owner, project) where superseded;

create table memory_supersedes (
  superseding uuid not null references memory (id) on delete cascade,
  -- As its writer named it: an id or an external id of the same owner and project.
  reference text not null check (length(reference) between 1 and 200),
  -- Null while there is no such memory, as in the middle of an import.
  superseded uuid references memory (id) on delete cascade,
  owner text not null,
  project text not null,
  primary key (superseding, reference)
);

create index memory_supersedes_superseded on memory_supersedes (superseded);
create index memory_supersedes_open on memory_supersedes (owner, project, reference) where superseded is null;

-- The mark follows from the rows above, whoever removes them and by whatever way. The memory is locked before it is
-- looked whether another one supersedes it still: of two that remove the last two rows, the second one sees none.
create function memory_supersedes_changed() returns trigger language plpgsql as $$
declare
  changed uuid;
begin
  foreach changed in array array[
      case when tg_op <> 'INSERT' then old.superseded end, case when tg_op <> 'DELETE' then new.superseded end] loop
    if changed is not null then
      perform from memory m where m.id = changed for update;
      update memory m
      set superseded = exists (select from memory_supersedes l where l.superseded = changed)
      where m.id = changed
        and m.superseded <> exists (select from memory_supersedes l where l.superseded = changed);
    end if;
  end loop;
  return null;
end $$;

create trigger memory_supersedes_changed after insert or update or delete on memory_supersedes
  for each row execute function memory_supersedes_changed();

-- How often a memory was among the hits of a recall. Beside the memory, whose rows are wide and indexed by their words.
create table memory_access (
  memory_id uuid primary key references memory (id) on delete cascade,
  recalls bigint not null check (recalls > 0),
  last_at timestamptz not null
);
