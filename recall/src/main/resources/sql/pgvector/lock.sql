-- One node at a time makes the table. The number is arbitrary and ours.
select pg_advisory_xact_lock(7411, 1)
