-- One writer at a time changes what supersedes what in a scope: two that each see no cycle could close one together.
-- Taken before any row. $1 owner, $2 project
select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('supersedes', $1::text, $2::text)::text, 7411))
