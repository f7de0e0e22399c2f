-- Derived from memory_vector, and goes row by row with it. Not a migration: a server without the extension has none.
create table if not exists memory_vector_derived (
  memory_id uuid not null,
  fingerprint text not null,
  passage integer not null,
  owner text not null,
  project text not null,
  embedding vector not null,
  primary key (memory_id, fingerprint, passage),
  foreign key (memory_id, fingerprint, passage)
    references memory_vector (memory_id, fingerprint, passage) on delete cascade
)
