package io.recallgate.gateway.conversation.fit;

/**
 * How many tokens a text is at most, near enough, for a tokenizer that is not known. Each kind of character has a price, so
 * that prose, code, data and other scripts each come out somewhat above what tokenizers make of them. One pass, no
 * allocation. {@code TokenEstimateTest} prints its answers beside those of two tokenizers.
 */
final class TokenEstimate {

    /** Prices are in hundredths of a token. */
    private static final int UNIT = 100;
    /** A word begins; its letters are cheap, since common words are one or two tokens. */
    private static final int WORD = 48;

    private static final int LETTER = 18;
    /** No word goes on for so long: tokens of random letters are two letters. */
    private static final int LONG_WORD_LETTERS = 14;

    private static final int LETTER_OF_LONG_WORD = 55;
    private static final int CAPITAL = 40;
    /** Some tokenizers have each digit as a token of its own, others three together. */
    private static final int DIGIT = 70;

    private static final int PUNCTUATION = 85;
    private static final int LINE = 60;
    /** The space before a word is part of its token; more of them are few tokens. */
    private static final int SPACE = 6;

    private static final int TWO_BYTES = 65;
    private static final int THREE_BYTES = 155;
    private static final int FOUR_BYTES = 320;

    private TokenEstimate() {}

    /** Tokens of a text, rounded up. */
    static int of(CharSequence text) {
        long price = 0;
        int letters = 0;
        boolean lower = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isLower = c >= 'a' && c <= 'z';
            if (isLower || (c >= 'A' && c <= 'Z')) {
                boolean begins = letters == 0 || (lower && !isLower);
                letters = begins ? 1 : letters + 1;
                price += (begins ? WORD : 0) + letter(isLower, letters);
                lower = isLower;
            } else {
                letters = 0;
                lower = false;
                price += other(c);
            }
        }
        return (int) Math.min(Integer.MAX_VALUE / 2, (price + UNIT - 1) / UNIT);
    }

    private static int letter(boolean isLower, int letters) {
        if (letters > LONG_WORD_LETTERS) {
            return LETTER_OF_LONG_WORD;
        }
        return isLower ? LETTER : CAPITAL;
    }

    private static int other(char c) {
        if (c == ' ') {
            return SPACE;
        }
        if (c >= '0' && c <= '9') {
            return DIGIT;
        }
        if (c < 0x80) {
            return c < ' ' ? LINE : PUNCTUATION;
        }
        if (c < 0x800) {
            return TWO_BYTES;
        }
        return Character.isSurrogate(c) ? FOUR_BYTES / 2 : THREE_BYTES;
    }
}
