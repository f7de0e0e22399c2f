-- The owner's filter runs after the index: go on until enough are found. In strict order what a later round of the scan
-- finds nearer than an earlier one is thrown away, which costs an owner of one percent an eighth of its nearest; so the
-- order is relaxed, and whoever reads puts them right. The visited are kept up to a few times work_mem. Sorting is switched
-- off because the planner does not know that a cursor is read a little way only, and would sort all rows of the owner.
select set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.scan_mem_multiplier', '4', true),
  set_config('hnsw.ef_search', '200', true),
  set_config('hnsw.max_scan_tuples', '40000', true),
  set_config('enable_sort', 'off', true)
