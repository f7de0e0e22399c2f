-- One node at a time removes. Held to the end of the transaction; the numbers are arbitrary and ours.
select pg_try_advisory_xact_lock(7411, 3) as mine
