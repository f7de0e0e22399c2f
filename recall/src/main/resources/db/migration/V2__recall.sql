-- What recall reads by.

-- A literal search narrows by indexed words; the few memories whose words are not all indexed it reads as they are.
create index memory_words_truncated on memory (owner, project) where words_truncated;
