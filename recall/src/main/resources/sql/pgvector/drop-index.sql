drop index concurrently if exists {index}
