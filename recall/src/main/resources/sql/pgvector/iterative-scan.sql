-- The owner's filter runs after the index: go on until enough are found, in exact order.
select set_config('hnsw.iterative_scan', 'strict_order', true),
  set_config('hnsw.ef_search', '200', true),
  set_config('hnsw.max_scan_tuples', '40000', true)
