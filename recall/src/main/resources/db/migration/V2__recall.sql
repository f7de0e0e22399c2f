-- What recall reads by.

-- A literal search narrows by indexed words; the few memories whose words are not all indexed it reads as they are.
create index memory_words_truncated on memory (owner, project) where words_truncated;

-- Which transaction wrote a vector. A reader that remembers the oldest transaction still running when it last looked
-- sees everything that was committed since, by whichever node, by asking for this one and later ones.
alter table memory_vector add column changed_by xid8 not null default pg_current_xact_id();

create function memory_vector_changed() returns trigger language plpgsql as $$
begin
  new.changed_by := pg_current_xact_id();
  return new;
end $$;

create trigger memory_vector_changed before update on memory_vector
  for each row execute function memory_vector_changed();

create index memory_vector_changed on memory_vector (owner, project, fingerprint, changed_by);
-- Reading a scope's vectors in pages, and counting them; replaces a shorter one.
create index memory_vector_page on memory_vector (owner, project, fingerprint, memory_id, passage);
drop index memory_vector_owner;
