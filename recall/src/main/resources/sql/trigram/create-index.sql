create index concurrently memory_content_trigrams on memory using gin (content {schema}.gin_trgm_ops)
