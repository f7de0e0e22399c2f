package io.recallgate.recall.lexical;

import io.recallgate.recall.lexical.LexicalQuery.Phrase;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a question quotes. Pure. */
final class Phrases {

    /** How many are looked for; what is quoted after them is words like any others. */
    static final int MAX = 4;

    /** How many words of a quotation are looked for: more hardly make it any rarer. */
    static final int MAX_WORDS = 16;

    /** Straight and typographic quotes in pairs; whatever opens one, the next quote ends it. */
    private static final Pattern QUOTED =
            Pattern.compile("[\"\u201c\u201d\u201e\u00ab\u00bb]([^\"\u201c\u201d\u201e\u00ab\u00bb]+)"
                    + "[\"\u201c\u201d\u201e\u00ab\u00bb]|\u300c([^\u300c\u300d]+)\u300d");

    private Phrases() {}

    /**
     * The phrases of a question.
     *
     * @param head as much of it as is looked at
     * @param counters of the languages in which it is looked for
     */
    static List<Phrase> in(String head, List<TermCounter> counters) {
        List<Phrase> phrases = new ArrayList<>();
        Matcher matcher = QUOTED.matcher(head);
        while (phrases.size() < MAX && matcher.find()) {
            String quoted = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
            Set<String> queries = new LinkedHashSet<>();
            Set<List<String>> terms = new LinkedHashSet<>();
            for (TermCounter counter : counters) {
                Map<Integer, String> words = words(quoted, counter);
                if (!words.isEmpty()) {
                    queries.add("(" + tsquery(words) + ")");
                    terms.add(List.copyOf(words.values()));
                }
            }
            if (!queries.isEmpty()) {
                phrases.add(new Phrase(String.join(" | ", queries), List.copyOf(terms)));
            }
        }
        return phrases;
    }

    private static Map<Integer, String> words(String quoted, TermCounter counter) {
        Map<Integer, String> words = new TreeMap<>();
        counter.read(quoted, (term, word, place, advances) -> {
            String lexeme = TsText.clean(term);
            if (place != TermReader.NOWHERE && !lexeme.isEmpty() && words.size() < MAX_WORDS) {
                // An identifier stands for its parts, which have the same places in every text.
                words.putIfAbsent(place, lexeme);
            }
        });
        return words;
    }

    /** Distances, and not mere order, so that stop words between them count as places. */
    private static String tsquery(Map<Integer, String> words) {
        StringBuilder out = new StringBuilder();
        int before = 0;
        for (Map.Entry<Integer, String> word : words.entrySet()) {
            if (!out.isEmpty()) {
                out.append(" <").append(word.getKey() - before).append("> ");
            }
            WordPlaces.quote(out, word.getValue());
            before = word.getKey();
        }
        return out.toString();
    }
}
