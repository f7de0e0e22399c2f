/**
 * Words: one Lucene analysis for documents and queries in every language, and the lexical leg that ranks candidates
 * with BM25. The write path stores the analysis as a {@code tsvector}, so that reads never analyse documents.
 */
@NullMarked
package io.recallgate.recall.lexical;

import org.jspecify.annotations.NullMarked;
