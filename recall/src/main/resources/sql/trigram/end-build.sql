select pg_advisory_unlock(7411, 4)
