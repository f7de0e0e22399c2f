package io.recallgate.recall.passage;

import io.recallgate.embedding.api.TokenEstimate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a text into overlapping passages that fit a model's window, at sentence ends where there are any. In time linear
 * in the text; never between the halves of a surrogate pair, and within a reader's character only where it is longer
 * than 64 code units. The same text and window give the same passages. Used by one thread at a time.
 */
public final class Passages {

    /** Tokens that a model adds: begin and end, and the prefix for documents, such as {@code passage: }. */
    private static final int ADDED_TOKENS = 8;

    /** An eighth of a passage opens the next, or up to twice that for a whole sentence: one or two of a window of 512. */
    private static final int OVERLAP = 8;

    /** Below this nothing sensible fits; a window so small is not kept. */
    private static final int MIN_TOKENS = 16;

    /** White space costs no tokens, so characters need a bound as well: twice what the sparsest prose has. */
    private static final int CHARS_PER_TOKEN = 8;

    /** What a passage may have at most, whatever the window: just below what tokenizers are given of one text. */
    private static final int MAX_CHARS = 10_000;

    private final String text;
    private final int tokens;
    private final int maxChars;
    private final Boundaries boundaries;
    private int start;
    private int end;

    /**
     * Cuts nothing yet.
     *
     * @param text of any length
     * @param tokens what a passage may have by estimate, at least 16
     */
    public Passages(String text, int tokens) {
        this.text = text;
        this.tokens = tokens;
        this.maxChars = Math.min(MAX_CHARS, CHARS_PER_TOKEN * tokens);
        this.boundaries = new Boundaries(text);
    }

    /**
     * A piece of a text.
     *
     * @param offset where it begins, in UTF-16 code units
     * @param text without white space around it
     */
    public record Passage(int offset, String text) {
        /** What a model is estimated to make of it. */
        public int tokens() {
            return TokenEstimate.tokens(text, 0, text.length());
        }
    }

    /**
     * What a passage may have.
     *
     * @param maxTokens the model's window
     * @param before what is put in front of each passage
     * @return tokens left for the passage itself, at least 16
     */
    public static int room(int maxTokens, String before) {
        int room = maxTokens - ADDED_TOKENS - TokenEstimate.tokens(before, 0, before.length());
        return Math.max(Math.max(MIN_TOKENS, maxTokens / 4), room);
    }

    /**
     * Cuts the next one; a text that fits is one passage as it is. Each costs the time of its own length, so that a long
     * text need not be cut in one go.
     *
     * @return null when the text is at its end
     */
    public @Nullable Passage next() {
        if (end == 0 && !text.isEmpty() && text.length() <= maxChars && reach(0, text.length()) == text.length()) {
            start = text.length();
            end = start;
            return new Passage(0, text);
        }
        int from = afterSpace(start);
        if (from == text.length()) {
            boolean blank = end == 0 && from > 0;
            end = from;
            return blank ? new Passage(0, text.substring(0, Math.min(from, maxChars))) : null;
        }
        int limit = reach(from, Math.min(text.length(), from + maxChars));
        // Not in the first half, or passages would be many and small; and always further than the one before.
        int cut = limit == text.length() ? limit : boundaries.last(Math.max(end, from + (limit - from) / 2), limit);
        start = cut == text.length() ? cut : overlapping(from, cut);
        end = cut;
        return new Passage(from, text.substring(from, trimmed(from, cut)));
    }

    /** How much of the text no passage has yet, in UTF-16 code units; white space before it does not count. */
    public int restChars() {
        return text.length() - afterSpace(end);
    }

    private int afterSpace(int from) {
        int at = from;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /**
     * Cuts a passage that the model found too long after all, into halves by estimate.
     *
     * @return the passage alone if it is too small to be cut
     */
    public static List<Passage> smaller(Passage passage) {
        int half = (passage.tokens() + 1) / 2;
        if (half < MIN_TOKENS) {
            return List.of(passage);
        }
        Passages pieces = new Passages(passage.text(), half);
        List<Passage> smaller = new ArrayList<>();
        for (Passage piece = pieces.next(); piece != null; piece = pieces.next()) {
            smaller.add(new Passage(passage.offset() + piece.offset(), piece.text()));
        }
        return smaller;
    }

    private int reach(int from, int to) {
        return TokenEstimate.reach(text, from, to, tokens);
    }

    /** Where the passage after {@code [from, cut)} begins. */
    private int overlapping(int from, int cut) {
        int half = from + (cut - from) / 2;
        int most = TokenEstimate.reachBack(text, from, cut, 2 * tokens / OVERLAP);
        int back = TokenEstimate.reachBack(text, most, cut, tokens / OVERLAP);
        int begin = boundaries.first(from, Math.max(most, half), Math.max(back, half), cut);
        // A reader's character that is most of a passage: the next one would end where this one does.
        return reach(begin, cut + 1) > cut ? begin : cut;
    }

    private int trimmed(int from, int to) {
        int last = to;
        while (last > from && Character.isWhitespace(text.charAt(last - 1))) {
            last--;
        }
        return last;
    }
}
