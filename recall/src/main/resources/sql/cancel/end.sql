-- Ends the connection it is asked on.
select pg_terminate_backend(pg_backend_pid())
