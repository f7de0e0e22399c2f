-- What upkeep goes by.

-- Retention removes by age, scope by scope; pinned memories stay.
create index memory_age on memory (owner, project, updated_at) where not pinned;

-- Failed jobs are pruned once nobody can retry them.
create index embedding_job_failed on embedding_job (finished_at) where state = 'failed';

-- A job that an operator retries again and again keeps its newest errors only, whichever statement appends them.
create function embedding_job_errors() returns trigger language plpgsql as $$
begin
  while jsonb_array_length(new.errors) > 20 loop
    new.errors := new.errors - 0;
  end loop;
  return new;
end $$;

create trigger embedding_job_errors before update of errors on embedding_job
  for each row when (jsonb_array_length(new.errors) > 20) execute function embedding_job_errors();
