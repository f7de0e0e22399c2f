package io.recallgate.recall.lexical;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.CharArraySet;

/**
 * Tells a text's language by its most common words, of which every sentence has some: always the same for the same text,
 * within microseconds, and with nothing to load. A text that could be of several languages is taken for English, whose
 * analysis leaves other languages' words as they are for the most part. Pure.
 */
final class LanguageGuess {

    /** Enough for any text that can be told at all. */
    private static final int MAX_WORDS = 200;

    private static final int MAX_CHARS = 4_000;

    /** Two words at least, and clearly more than there are English ones: several are words of both. */
    private static final int MIN_WORDS = 2;

    private static final double AHEAD = 1.5;

    /** Apostrophes end words, so that "l'amour" has its article. */
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{M}]+");

    private static final Map<Language, CharArraySet> COMMON = common();

    private LanguageGuess() {}

    private static Map<Language, CharArraySet> common() {
        Map<Language, CharArraySet> common = new EnumMap<>(Language.class);
        for (Language language : Language.values()) {
            common.put(language, language.stopWords());
        }
        return common;
    }

    /** The text's language. */
    static Language of(String text) {
        String head = text.length() <= MAX_CHARS ? text : text.substring(0, MAX_CHARS);
        Matcher matcher = WORD.matcher(head.toLowerCase(Locale.ROOT));
        Map<Language, Integer> counts = new EnumMap<>(Language.class);
        int words = 0;
        int cyrillic = 0;
        while (words < MAX_WORDS && matcher.find()) {
            String word = matcher.group();
            words++;
            cyrillic += Character.UnicodeScript.of(word.codePointAt(0)) == Character.UnicodeScript.CYRILLIC ? 1 : 0;
            COMMON.forEach((language, common) -> {
                if (common.contains(word)) {
                    counts.merge(language, 1, Integer::sum);
                }
            });
        }
        // Of the languages in this script there is one; its stems suit its neighbours better than none.
        return 2 * cyrillic > words ? Language.RUSSIAN : best(counts);
    }

    private static Language best(Map<Language, Integer> counts) {
        int english = counts.getOrDefault(Language.ENGLISH, 0);
        Language best = Language.ENGLISH;
        int most = 0;
        boolean tied = false;
        for (Map.Entry<Language, Integer> one : counts.entrySet()) {
            if (one.getKey() != Language.ENGLISH && one.getValue() >= most) {
                tied = one.getValue() == most;
                most = one.getValue();
                best = one.getKey();
            }
        }
        return !tied && most >= MIN_WORDS && most > AHEAD * english ? best : Language.ENGLISH;
    }
}
