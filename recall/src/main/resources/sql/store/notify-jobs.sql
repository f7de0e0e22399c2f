-- A hint that there is work; delivered with the commit. Polling is the truth.
select pg_notify('recallgate_jobs', '')
