-- How many jobs of a scope are in each state.
select state, count(*) as jobs from embedding_job where owner = $1 and project = $2 group by state
