package io.recallgate.recall.lexical;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A question as terms. Nothing in it is an operator but quotes around words and a star behind one: AND, OR, NEAR and
 * parentheses are text or dropped, as is a quote that nothing closes.
 *
 * @param terms distinct, in order of occurrence, at most {@link LuceneAnalysis#MAX_QUERY_TERMS}; empty when the question
 *     is blank or has stop words only
 * @param blank whether the question has no text at all
 * @param phrases what it quotes, at most {@link Phrases#MAX}
 * @param prefixes what words shall begin with, at most {@link Prefixes#MAX}
 */
public record LexicalQuery(List<String> terms, boolean blank, List<Phrase> phrases, List<String> prefixes) {

    /** Copies. */
    public LexicalQuery {
        terms = List.copyOf(terms);
        phrases = List.copyOf(phrases);
        prefixes = List.copyOf(prefixes);
    }

    /** One of words alone. */
    LexicalQuery(List<String> terms, boolean blank) {
        this(terms, blank, List.of(), List.of());
    }

    /**
     * Words that stand next to each other in this order.
     *
     * @param tsquery finds them by their places
     * @param terms the words' stems in each language in which they are looked for, where they differ
     */
    public record Phrase(String tsquery, List<List<String>> terms) {

        /** Copies. */
        public Phrase {
            terms = List.copyOf(terms);
        }
    }

    /** The terms, any of which may match, in the text notation of {@code tsquery}. */
    static String anyOf(List<String> terms) {
        return join(terms, " | ");
    }

    /** The lists, all terms of any of which must match. */
    static String allOfAny(Collection<List<String>> lists) {
        return lists.stream().map(terms -> "(" + join(terms, " & ") + ")").collect(Collectors.joining(" | "));
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
