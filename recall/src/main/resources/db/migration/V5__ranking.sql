-- What ranking reads by: the turns before and after one of a session, without reading anything else of them. Turns without
-- a time come last, in the order in which they were stored; a row comparison needs them as a value and not as null.
create index memory_session_order
  on memory (owner, project, session, (coalesce(occurred_at, 'infinity'::timestamptz)), position) include (id)
  where session is not null;
-- Replaced by the one above.
drop index memory_session;
