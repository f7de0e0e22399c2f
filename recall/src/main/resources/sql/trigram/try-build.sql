-- One node at a time builds. Held by the connection, so that it goes with a node that dies.
select pg_try_advisory_lock(7411, 4)
