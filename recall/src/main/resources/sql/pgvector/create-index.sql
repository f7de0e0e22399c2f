create index concurrently {index} on memory_vector_derived
using hnsw ((embedding::vector({dimensions})) vector_ip_ops)
where fingerprint = '{fingerprint}'
