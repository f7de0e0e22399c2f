-- What recall did, beside its answers: written in batches a moment later, and pruned by age.

create table recall_log (
  id bigint generated always as identity primary key,
  recall_id uuid not null,
  owner text not null check (length(owner) between 1 and 200),
  project text not null check (length(project) <= 200),
  at timestamptz not null,
  requested text not null check (requested in ('lexical', 'strict', 'hybrid')),
  -- What answered, or why nothing did.
  served text check (served in ('lexical', 'strict', 'hybrid')),
  failure text,
  -- Why the one is less than the other.
  reason text,
  -- HMAC-SHA-256 of scope and question under the key below, so that equal questions of a scope can be told and not read.
  query_hash bytea not null check (length(query_hash) = 32),
  query_chars integer not null check (query_chars >= 0),
  -- Its beginning, where an operator chose to keep it.
  query_text text,
  query_truncated boolean not null,
  -- Whether the question was about some sessions or kinds only.
  narrowed boolean not null,
  -- Found by each leg, by both together, and answered.
  lexical_found integer,
  vector_found integer,
  found integer,
  hits integer,
  coverage double precision,
  total_ms double precision not null,
  embedding_ms double precision,
  lexical_ms double precision,
  vector_ms double precision,
  fusion_ms double precision,
  check ((served is null) = (failure is not null)),
  check ((served is null) = (hits is null))
);

create index recall_log_scope on recall_log (owner, project, at desc);
create index recall_log_age on recall_log (at);

-- One row. Without it a short question could be guessed from its hash; whoever reads the whole database can read the
-- memories, too.
create table recall_log_key (
  one boolean primary key default true check (one),
  key bytea not null check (length(key) = 32)
);

insert into recall_log_key (key)
values (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
