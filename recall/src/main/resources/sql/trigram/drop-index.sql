drop index concurrently if exists memory_content_trigrams
