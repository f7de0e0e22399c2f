-- In which memories of a large scope a common word is: read for one question, these are some ten kilobytes for each word,
-- where looking through the memories themselves would read them all. Derived from the memories' words in the background; what is
-- found by them is read and scored as it is now, and what was stored since is looked for among the newest.

-- Some thousands of memories of a scope, from one position to another.
create table word_block (
  owner text not null check (length(owner) between 1 and 200),
  project text not null check (length(project) <= 200),
  first_position bigint not null,
  last_position bigint not null check (last_position >= first_position),
  memories integer not null check (memories > 0),
  -- The sum of what sql/lexical/block-contents.sql tells of each of these memories: another sum, and the block is made anew.
  marks bigint not null,
  primary key (owner, project, first_position)
);

create table word_posting (
  owner text not null,
  project text not null,
  -- Of the scope and the word: no word of a memory is kept here.
  word bigint not null,
  first_position bigint not null,
  postings bytea not null,
  primary key (owner, project, word, first_position),
  foreign key (owner, project, first_position) references word_block on delete cascade
);

-- They hardly get smaller, and are read whole.
alter table word_posting alter column postings set storage external;
create index word_posting_block on word_posting (owner, project, first_position);

-- A block goes with the last of its memories. Blocks are locked before it is looked whether a memory is left: of two that
-- remove the last two, the second one sees none.
create function word_block_emptied() returns trigger language plpgsql as $$
begin
  perform from word_block b
  where exists (select from (
      select owner, project, min(position) as lowest, max(position) as highest from removed group by owner, project) r
    where b.owner = r.owner and b.project = r.project
      and b.first_position <= r.highest and b.last_position >= r.lowest)
  order by b.owner, b.project, b.first_position
  for update;
  if found then
    delete from word_block b
    using (select owner, project, min(position) as lowest, max(position) as highest from removed group by owner, project) r
    where b.owner = r.owner and b.project = r.project
      and b.first_position <= r.highest and b.last_position >= r.lowest
      and not exists (select from memory m
        where m.owner = b.owner and m.project = b.project and m.position between b.first_position and b.last_position);
  end if;
  return null;
end $$;

create trigger word_block_emptied after delete on memory
  referencing old table as removed
  for each statement execute function word_block_emptied();
