-- Ends the statement that a connection of ours is at. A number that a connection pooler made up is no one's. $1 process
select pg_cancel_backend(pid)
from pg_stat_activity
where pid = $1 and usename = current_user and application_name = 'recallgate' and state = 'active'
