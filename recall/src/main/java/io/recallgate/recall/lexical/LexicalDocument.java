package io.recallgate.recall.lexical;

/**
 * A memory's words as they are stored.
 *
 * @param tsvector in PostgreSQL's own notation, quoted and escaped, for {@code $n::text::tsvector}; at most 1,048,575
 *     bytes once stored
 * @param length number of terms, for BM25's length norm
 * @param truncated whether the text was longer than what is indexed
 */
public record LexicalDocument(String tsvector, int length, boolean truncated) {}
