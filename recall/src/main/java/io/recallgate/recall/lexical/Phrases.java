package io.recallgate.recall.lexical;

import io.recallgate.recall.lexical.LexicalQuery.Phrase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
     */
    static List<Phrase> in(String head, TermCounter counter) {
        List<Phrase> phrases = new ArrayList<>();
        Matcher matcher = QUOTED.matcher(head);
        while (phrases.size() < MAX && matcher.find()) {
            String quoted = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
            Map<Integer, String> words = new TreeMap<>();
            counter.read(quoted, (term, word, place, advances) -> {
                String lexeme = TsText.clean(term);
                if (place != TermReader.NOWHERE && !lexeme.isEmpty() && words.size() < MAX_WORDS) {
                    // An identifier stands for its parts, which have the same places in every text.
                    words.putIfAbsent(place, lexeme);
                }
            });
            if (!words.isEmpty()) {
                phrases.add(new Phrase(tsquery(words), List.copyOf(words.values())));
            }
        }
        return phrases;
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
