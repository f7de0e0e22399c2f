package io.recallgate.recall.passage;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a text may be cut: at a sentence end if there is one, else at a line end, else between words, else between two
 * characters as a reader sees them. Looks at no more than the range it is asked about and a little around it, so that
 * asking along a text is linear in its length. Used by one thread.
 */
final class Boundaries {

    /** A reader's characters are shorter, but for jokes; and enough to see that a sentence ends with the range. */
    private static final int AROUND = 64;

    /** The letters that flags are made of. */
    private static final int FIRST_INDICATOR = 0x1F1E6;

    private static final int LAST_INDICATOR = 0x1F1FF;

    private static final Pattern CHARACTER = Pattern.compile("\\X");

    private final String text;
    private final BreakIterator sentences = BreakIterator.getSentenceInstance(Locale.ROOT);

    /** The run of regional indicators that was looked at last, as far as it was. */
    private int flagsFrom;

    private int flagsTo;

    Boundaries(String text) {
        this.text = text;
    }

    /**
     * The last good place to end a passage.
     *
     * @param after the place is after this
     * @param limit the place is at or before this, which lies within the text
     */
    int last(int after, int limit) {
        int sentence = -1;
        for (int end : sentenceEnds(after, Math.min(text.length(), limit + AROUND))) {
            sentence = end <= limit ? end : sentence;
        }
        if (sentence > after) {
            return sentence;
        }
        int word = -1;
        for (int at = limit; at > after; at--) {
            if (isLineStart(at)) {
                return at;
            }
            word = word < 0 && isWordStart(at) ? at : word;
        }
        if (word >= 0) {
            return word;
        }
        return character(after, limit);
    }

    /**
     * A good place to begin the next passage: the first at or after {@code from}, or for a sentence or a line the last
     * before it.
     *
     * @param start of the passage before
     * @param earliest the place is not before this, which is after {@code start}
     * @param from at or after {@code earliest}
     * @param end of the passage before; the place is before it if the range has any
     */
    int first(int start, int earliest, int from, int end) {
        int sentence = -1;
        for (int place : sentenceEnds(Math.max(start, earliest - AROUND), end)) {
            sentence = sentence < from && place >= earliest ? place : sentence;
        }
        if (sentence >= earliest) {
            return sentence;
        }
        int line = -1;
        int word = -1;
        for (int at = earliest; at < end; at++) {
            line = line < from && isLineStart(at) ? at : line;
            word = word < 0 && at >= from && isWordStart(at) ? at : word;
        }
        if (line >= earliest || word >= from) {
            return line >= earliest ? line : word;
        }
        return character(start + (from - start) / 2, from);
    }

    /** Where sentences end between the two, neither included. */
    private List<Integer> sentenceEnds(int from, int to) {
        List<Integer> ends = new ArrayList<>();
        if (mayEndASentence(from, to)) {
            sentences.setText(text.substring(from, to));
            for (int at = sentences.next(); at != BreakIterator.DONE && from + at < to; at = sentences.next()) {
                ends.add(from + at);
            }
        }
        return ends;
    }

    /** Whether it is worth the iterator's while, which takes far longer than this. */
    private boolean mayEndASentence(int from, int to) {
        for (int at = from; at < to; at++) {
            int type = Character.getType(text.charAt(at));
            if (type == Character.OTHER_PUNCTUATION || type == Character.PARAGRAPH_SEPARATOR) {
                return true;
            }
        }
        return false;
    }

    private boolean isLineStart(int at) {
        return at > 0 && text.charAt(at - 1) == '\n';
    }

    private boolean isWordStart(int at) {
        return at > 0 && Character.isWhitespace(text.charAt(at - 1));
    }

    /** The last place between two characters at or before {@code limit} and after {@code after}. */
    private int character(int after, int limit) {
        if (limit >= text.length()) {
            return text.length();
        }
        // Before an ASCII letter a character always ends, so counting from there is counting from the beginning.
        int safe = limit;
        while (safe > after && limit - safe < AROUND && !isAsciiWord(text.charAt(safe))) {
            safe--;
        }
        safe = betweenFlags(betweenCodePoints(safe, after), after);
        Matcher characters = CHARACTER.matcher(text).region(safe, Math.min(text.length(), limit + AROUND));
        int last = safe;
        while (characters.find() && characters.end() <= limit) {
            last = characters.end();
        }
        return last > after ? last : betweenCodePoints(limit, after);
    }

    /**
     * The same place, or one letter further if that is in the middle of a flag: flags are two regional indicators each,
     * and where one begins is known only from the beginning of the run. That is remembered, since a text may be nothing
     * but flags.
     */
    private int betweenFlags(int at, int after) {
        if (!isIndicatorBefore(at)) {
            return at;
        }
        int from = at;
        while (isIndicatorBefore(from) && !(flagsFrom < from && from <= flagsTo)) {
            from -= 2;
        }
        boolean known = flagsFrom < from && from <= flagsTo;
        flagsFrom = known ? flagsFrom : from;
        flagsTo = known ? Math.max(flagsTo, at) : at;
        boolean inside = (at - flagsFrom) / 2 % 2 == 1;
        return !inside ? at : at - 2 > after ? at - 2 : at + 2;
    }

    private boolean isIndicatorBefore(int at) {
        if (at < 2) {
            return false;
        }
        int codePoint = text.codePointBefore(at);
        return codePoint >= FIRST_INDICATOR && codePoint <= LAST_INDICATOR;
    }

    private int betweenCodePoints(int at, int after) {
        boolean inside = at > 0
                && at < text.length()
                && Character.isLowSurrogate(text.charAt(at))
                && Character.isHighSurrogate(text.charAt(at - 1));
        return !inside ? at : at - 1 > after ? at - 1 : at + 1;
    }

    private static boolean isAsciiWord(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
