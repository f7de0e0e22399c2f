package io.recallgate.recall.lexical;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Words of a question with a star behind them: what words of a memory shall begin with. Pure. */
final class Prefixes {

    /** How many are looked for; others are words like any others. */
    static final int MAX = 4;

    /** How many words all of them together may stand for, the most common ones first. */
    static final int MAX_WORDS = 32;

    /** A shorter beginning would be one of too many words. */
    private static final int MIN_CHARS = 2;

    /** As in a tsquery; no word is longer. */
    private static final int MAX_CHARS = 100;

    /** One star, at the end of a word: two are bold print, one on each side is italics. */
    private static final Pattern STARRED = Pattern.compile("(?<![\\p{L}\\p{M}\\p{N}_*])([\\p{L}\\p{M}\\p{N}_]{"
            + MIN_CHARS + "," + MAX_CHARS + "}+)\\*(?![\\p{L}\\p{M}\\p{N}_*])");

    private Prefixes() {}

    /** The beginnings that a question asks for, as words are compared. */
    static List<String> in(String head) {
        Set<String> prefixes = new LinkedHashSet<>();
        Matcher matcher = STARRED.matcher(TermReader.normal(head));
        while (prefixes.size() < MAX && matcher.find()) {
            String prefix = TsText.clean(TermReader.folded(matcher.group(1)));
            if (prefix.length() >= MIN_CHARS) {
                prefixes.add(prefix);
            }
        }
        return new ArrayList<>(prefixes);
    }

    /** Finds memories with a word that begins like one of these, in its own form or as a stem. */
    static String tsquery(List<String> prefixes) {
        StringBuilder out = new StringBuilder();
        for (String prefix : prefixes) {
            TsText.quote(out.isEmpty() ? out : out.append(" | "), prefix).append(":* | ");
            TsText.quote(out, WordPlaces.marked(prefix)).append(":*");
        }
        return out.toString();
    }

    /** The same as patterns of LIKE. */
    static String[] patterns(List<String> prefixes) {
        List<String> patterns = new ArrayList<>();
        for (String prefix : prefixes) {
            String literal = LikePattern.literal(prefix);
            patterns.add(literal + "%");
            patterns.add(WordPlaces.marked(literal) + "%");
        }
        return patterns.toArray(String[]::new);
    }
}
