-- The owner's filter runs after the index: go on until enough are found, in exact order. Sorting is switched off because
-- the planner does not know that a cursor is read a little way only, and would sort all rows of the owner instead.
select set_config('hnsw.iterative_scan', 'strict_order', true),
  set_config('hnsw.ef_search', '200', true),
  set_config('hnsw.max_scan_tuples', '40000', true),
  set_config('enable_sort', 'off', true)
