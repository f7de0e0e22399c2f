create index if not exists memory_vector_derived_scope on memory_vector_derived (owner, project, fingerprint)
