package io.recallgate.recall.lexical;

import java.util.List;

/**
 * A question as terms. Nothing in it is an operator: quotes, AND, OR, NEAR and parentheses are text or dropped.
 *
 * @param terms distinct, in order of occurrence, at most {@link LuceneAnalysis#MAX_QUERY_TERMS}; empty when the question
 *     is blank or has stop words only
 * @param blank whether the question has no text at all
 */
public record LexicalQuery(List<String> terms, boolean blank) {

    /** Copies the terms. */
    public LexicalQuery {
        terms = List.copyOf(terms);
    }

    /** The terms, any of which may match, in the text notation of {@code tsquery}. */
    static String anyOf(List<String> terms) {
        return join(terms, " | ");
    }

    /** The terms, all of which must match. */
    static String allOf(List<String> terms) {
        return join(terms, " & ");
    }

    private static String join(List<String> terms, String operator) {
        StringBuilder out = new StringBuilder();
        for (String term : terms) {
            if (!out.isEmpty()) {
                out.append(operator);
            }
            TsText.quote(out, term);
        }
        return out.toString();
    }
}
