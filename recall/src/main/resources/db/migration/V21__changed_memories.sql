-- A block that was put into a message shows memories as they were. When what it shows of one has been changed since, the
-- block is no longer put there again, or the old text would be sent on for as long as the conversation goes on.

-- A row at a time and only for rows that have changed so: a trigger for each statement would copy all rows of every
-- update, and most updates change neither.
create function conversation_changed() returns trigger language plpgsql as $$
begin
  delete from conversation_injection i where i.memories && array[new.id];
  return null;
end $$;

create trigger conversation_changed after update of content, content_hash, author on memory
  for each row when (old.content_hash is distinct from new.content_hash or old.author is distinct from new.author)
  execute function conversation_changed();
