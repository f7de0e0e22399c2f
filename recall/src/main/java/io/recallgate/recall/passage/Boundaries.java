package io.recallgate.recall.passage;

import java.text.BreakIterator;
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

    private static final Pattern CHARACTER = Pattern.compile("\\X");

    private final String text;
    private final BreakIterator sentences = BreakIterator.getSentenceInstance(Locale.ROOT);

    Boundaries(String text) {
        this.text = text;
    }

    /**
     * The last good place to end a passage.
     *
     * @param start of the passage, where a sentence or at least a word begins
     * @param after the place is after this
     * @param limit the place is at or before this, which lies within the text
     */
    int last(int start, int after, int limit) {
        sentences.setText(text.substring(start, Math.min(text.length(), limit + AROUND)));
        int sentence = start + sentences.preceding(Math.min(limit - start + 1, sentences.last()));
        if (sentence > after) {
            return sentence;
        }
        int line = text.lastIndexOf('\n', limit - 1) + 1;
        if (line > after) {
            return line;
        }
        for (int at = limit; at > after; at--) {
            if (isWordStart(at)) {
                return at;
            }
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
        sentences.setText(text.substring(start, end));
        int next = sentences.following(from - start - 1);
        int sentence = next != BreakIterator.DONE && start + next < end ? next : sentences.preceding(from - start);
        if (sentence != BreakIterator.DONE && start + sentence >= earliest) {
            return start + sentence;
        }
        int nextLine = text.indexOf('\n', from) + 1;
        int line = nextLine > 0 && nextLine < end ? nextLine : text.lastIndexOf('\n', from - 1) + 1;
        if (line >= earliest) {
            return line;
        }
        for (int at = from; at < end; at++) {
            if (isWordStart(at)) {
                return at;
            }
        }
        return character(start + (from - start) / 2, from);
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
        safe = betweenCodePoints(safe, after);
        Matcher characters = CHARACTER.matcher(text).region(safe, Math.min(text.length(), limit + AROUND));
        int last = safe;
        while (characters.find() && characters.end() <= limit) {
            last = characters.end();
        }
        return last > after ? last : betweenCodePoints(limit, after);
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
