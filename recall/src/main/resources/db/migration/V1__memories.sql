-- Memories, their embedding jobs and their vectors. A memory and its job are written in one transaction, so that what
-- was acknowledged is embedded sooner or later; vectors are derived and tagged with the model that made them.

create table memory (
  id uuid primary key,
  owner text not null check (length(owner) between 1 and 200),
  project text not null default '' check (length(project) <= 200),
  external_id text check (length(external_id) between 1 and 200),
  kind text not null check (kind in ('note', 'turn', 'document')),
  role text check (length(role) <= 100),
  author text check (length(author) <= 200),
  session text check (length(session) <= 200),
  content text not null check (content <> ''),
  -- SHA-256 of the content.
  content_hash bytea not null check (length(content_hash) = 32),
  occurred_at timestamptz,
  pinned boolean not null default false,
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  version bigint not null default 1,
  -- The words, analysed by us and not by PostgreSQL, so that documents and queries always agree.
  words tsvector not null,
  word_count integer not null check (word_count >= 0),
  words_truncated boolean not null default false,
  -- Stable order of listing, whatever the clock does.
  position bigint generated always as identity,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index memory_external_id on memory (owner, project, external_id) where external_id is not null;
create index memory_listing on memory (owner, project, position desc);
create index memory_session on memory (owner, project, session, occurred_at, position) where session is not null;
create index memory_words on memory using gin (words);

create table embedding_job (
  id bigint generated always as identity primary key,
  memory_id uuid not null references memory (id) on delete cascade,
  owner text not null,
  project text not null,
  -- What the job was made for: its result is committed only if the memory still has this content.
  content_hash bytea not null check (length(content_hash) = 32),
  state text not null default 'available'
    check (state in ('available', 'running', 'retryable', 'done', 'failed', 'cancelled')),
  priority smallint not null default 1,
  -- Rises with every claim: the fence. A result of an older attempt commits nothing.
  attempt integer not null default 0 check (attempt >= 0),
  -- Attempts that count against the job. Trouble of the provider does not.
  failures integer not null default 0 check (failures >= 0 and failures <= attempt),
  available_at timestamptz not null default now(),
  -- Who runs it, and until when it is theirs without renewal.
  leased_by text,
  lease_until timestamptz,
  -- One entry for each failed attempt, appended and never changed: {"attempt", "code", "detail", "at"}.
  errors jsonb not null default '[]' check (jsonb_typeof(errors) = 'array'),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((state = 'running') = (lease_until is not null and leased_by is not null)),
  check ((state in ('done', 'failed', 'cancelled')) = (finished_at is not null))
);

-- The legal edges, as JobState has them; a test holds the two together.
create function embedding_job_edge() returns trigger language plpgsql as $$
begin
  if (old.state, new.state) not in (
    ('available', 'running'), ('available', 'cancelled'),
    ('running', 'done'), ('running', 'retryable'), ('running', 'failed'), ('running', 'cancelled'), ('running', 'available'),
    ('retryable', 'running'), ('retryable', 'cancelled'),
    ('failed', 'available'))
  then
    raise exception 'embedding job %: % to % is no legal edge', old.id, old.state, new.state using errcode = '55000';
  end if;
  return new;
end $$;

create trigger embedding_job_edge before update of state on embedding_job
  for each row when (old.state is distinct from new.state) execute function embedding_job_edge();

-- One open job for each memory: changed content cancels it and opens another.
create unique index embedding_job_open on embedding_job (memory_id) where state in ('available', 'running', 'retryable');
create index embedding_job_claim on embedding_job (priority, available_at, id) where state in ('available', 'retryable');
create index embedding_job_lease on embedding_job (lease_until) where state = 'running';
create index embedding_job_owner on embedding_job (owner, project, state);
create index embedding_job_memory on embedding_job (memory_id);
create index embedding_job_finished on embedding_job (finished_at) where state in ('done', 'cancelled');

create table memory_vector (
  memory_id uuid not null references memory (id) on delete cascade,
  fingerprint text not null,
  passage integer not null default 0 check (passage >= 0),
  owner text not null,
  project text not null,
  content_hash bytea not null check (length(content_hash) = 32),
  dimensions integer not null check (dimensions > 0),
  -- Little-endian float32 of unit length.
  vector bytea not null,
  created_at timestamptz not null default now(),
  primary key (memory_id, fingerprint, passage),
  check (length(vector) = 4 * dimensions)
);

create index memory_vector_owner on memory_vector (owner, project, fingerprint);
