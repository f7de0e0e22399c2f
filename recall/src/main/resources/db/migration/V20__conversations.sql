-- What is kept of a conversation besides its memories: how far a turn was accepted, and what was put into it.

-- A request whose first messages are the ones that "chain" was made from may go on from here. There are several for a
-- session: a client may go back, or carry on in two directions at once.
create table conversation_checkpoint (
  owner text not null check (length(owner) between 1 and 200),
  project text not null check (length(project) <= 200),
  session text not null check (length(session) between 1 and 200),
  -- SHA-256 over the messages of the accepted request, each with what was before it.
  chain bytea not null check (length(chain) = 32),
  -- How many messages that were, instructions not counted.
  messages integer not null check (messages > 0),
  -- The first of them that was sent on, before which one long outputs were shortened, and how much was sent, in tokens of
  -- this tokenizer, counted or estimated.
  window_start integer not null check (window_start between 0 and messages),
  shortened_until integer not null check (shortened_until between 0 and messages),
  window_tokens bigint not null check (window_tokens >= 0),
  counted boolean not null,
  tokenizer text not null check (length(tokenizer) <= 100),
  accepted_at timestamptz not null,
  primary key (owner, project, session, chain)
);

create index conversation_checkpoint_age on conversation_checkpoint (owner, project, accepted_at);

-- What was put into a message, so that the same is put there again: a provider's cache of the prompt lives on it.
create table conversation_injection (
  owner text not null check (length(owner) between 1 and 200),
  project text not null check (length(project) <= 200),
  session text not null check (length(session) between 1 and 200),
  -- Of the messages up to this one.
  chain bytea not null check (length(chain) = 32),
  block text not null check (block <> ''),
  -- Whose text is in the block. When one of these memories is removed, so is the block.
  memories uuid[] not null,
  -- Ids of the pinned ones among them, each with the hash of its content.
  pinned jsonb not null default '{}' check (jsonb_typeof(pinned) = 'object'),
  accepted_at timestamptz not null,
  primary key (owner, project, session, chain)
);

create index conversation_injection_age on conversation_injection (owner, project, accepted_at);
create index conversation_injection_memories on conversation_injection using gin (memories);

-- However a memory is removed, no copy of its text stays behind.
create function conversation_forget() returns trigger language plpgsql as $$
begin
  delete from conversation_injection i
  where i.memories && (select coalesce(array_agg(id), '{}') from removed);
  return null;
end $$;

create trigger conversation_forget after delete on memory
  referencing old table as removed
  for each statement execute function conversation_forget();

-- Pinned memories are looked for with every turn.
create index memory_pinned on memory (owner, project, position) where pinned;
