package io.recallgate.embedding.api;

/**
 * How many tokens a model makes of a text, without its tokenizer: rather too many than too few, so that a passage cut by
 * it seldom runs past the window. Whoever needs to know exactly asks the model, which labels what it cut.
 *
 * <p>A run of Latin letters counts one for every four (English prose under WordPiece has about 1.3 a word), and one for
 * every two past the twelfth, since long runs are rarely words. Digits count one for every two. Letters of other
 * alphabets, ideographs, marks, punctuation and symbols count one each, Hangul syllables and what lies beyond the basic
 * plane two each: a vocabulary that does not know them takes them apart. White space is free.
 */
public final class TokenEstimate {

    /** From here on a run of letters is more likely code, a key or a hash than a word. */
    private static final int WORD_LETTERS = 12;

    private Kind run = Kind.SPACE;
    private int runLength;
    private int tokens;

    private TokenEstimate() {}

    private enum Kind {
        SPACE,
        LETTER,
        DIGIT,
        OTHER
    }

    /** Tokens of {@code text} from {@code from} to {@code to}. */
    public static int tokens(String text, int from, int to) {
        TokenEstimate estimate = new TokenEstimate();
        for (int at = from; at < to; at += Character.charCount(text.codePointAt(at))) {
            estimate.add(text.codePointAt(at));
        }
        return estimate.tokens;
    }

    /** The last index up to which the text from {@code from} has at most {@code tokens} tokens. */
    public static int reach(String text, int from, int to, int tokens) {
        TokenEstimate estimate = new TokenEstimate();
        int at = from;
        while (at < to) {
            int codePoint = text.codePointAt(at);
            if (estimate.add(codePoint) > tokens) {
                return at;
            }
            at += Character.charCount(codePoint);
        }
        return Math.min(at, to);
    }

    /** The first index, not before {@code from}, from which the text up to {@code to} has at most {@code tokens}. */
    public static int reachBack(String text, int from, int to, int tokens) {
        TokenEstimate estimate = new TokenEstimate();
        int at = to;
        while (at > from) {
            int codePoint = text.codePointBefore(at);
            if (estimate.add(codePoint) > tokens) {
                return at;
            }
            at -= Character.charCount(codePoint);
        }
        return Math.max(at, from);
    }

    /** What a run costs depends on its length only, so that it is the same from either end. */
    private int add(int codePoint) {
        Kind kind = kind(codePoint);
        runLength = kind == run ? runLength + 1 : 1;
        run = kind;
        tokens += switch (kind) {
            case SPACE -> 0;
            case LETTER -> runLength <= WORD_LETTERS ? (runLength % 4 == 1 ? 1 : 0) : runLength % 2;
            case DIGIT -> runLength % 2;
            case OTHER -> codePoint > 0xFFFF || isHangul(codePoint) ? 2 : 1;
        };
        return tokens;
    }

    private static Kind kind(int codePoint) {
        if (codePoint < 0x80
                ? codePoint <= ' '
                : Character.isWhitespace(codePoint) || Character.isSpaceChar(codePoint)) {
            return Kind.SPACE;
        }
        if (codePoint >= '0' && codePoint <= '9') {
            return Kind.DIGIT;
        }
        // Up to the end of Latin Extended-B: vocabularies either know accents or drop them.
        return codePoint < 0x250 && Character.isLetter(codePoint) ? Kind.LETTER : Kind.OTHER;
    }

    private static boolean isHangul(int codePoint) {
        return codePoint >= 0xAC00 && codePoint <= 0xD7A3;
    }
}
