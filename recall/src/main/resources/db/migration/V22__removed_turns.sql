-- Memories of turns that somebody removed. A client goes on sending its whole conversation, and a turn that it repeats
-- would be remembered again, by the same external id, if nobody knew that it is not wanted.
create table memory_removed (
  owner text not null check (length(owner) between 1 and 200),
  project text not null check (length(project) <= 200),
  external_id text not null check (length(external_id) between 1 and 200),
  removed_at timestamptz not null,
  primary key (owner, project, external_id)
);

create index memory_removed_scope on memory_removed (owner, project, removed_at);
create index memory_removed_age on memory_removed (removed_at);
