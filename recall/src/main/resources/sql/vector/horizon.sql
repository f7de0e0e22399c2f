-- Which transactions are seen now.
select pg_current_snapshot()::text as horizon
