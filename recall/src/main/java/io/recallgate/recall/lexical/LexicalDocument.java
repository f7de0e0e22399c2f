package io.recallgate.recall.lexical;

/**
 * A memory's words as they are stored.
 *
 * @param tsvector in PostgreSQL's own notation, quoted and escaped, for {@code $n::text::tsvector}; at most 1,048,575
 *     bytes once stored
 * @param length number of terms, for BM25's length norm
 * @param truncated whether the text was longer than what is indexed
 * @param language whose stems and stop words it has, such as {@code en}
 * @param analysis which analysis made it; another one makes other words of the same text
 */
public record LexicalDocument(String tsvector, int length, boolean truncated, String language, String analysis) {}
