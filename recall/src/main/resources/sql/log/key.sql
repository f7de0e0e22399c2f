-- The key that questions are hashed with.
select key from recall_log_key
