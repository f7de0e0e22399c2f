-- One node at a time makes the blocks of a scope, and goes on without where another one does. $1 owner, $2 project
select pg_try_advisory_xact_lock(hashtextextended(jsonb_build_array('word blocks', $1::text, $2::text)::text, 7411)) as mine
