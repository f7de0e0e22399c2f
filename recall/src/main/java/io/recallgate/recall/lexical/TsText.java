package io.recallgate.recall.lexical;

/**
 * The text notation of {@code tsvector} and {@code tsquery}. Every lexeme is quoted and its quotes and backslashes are
 * doubled, so no text can end its quotes and become an operator.
 */
final class TsText {

    /** PostgreSQL takes lexemes up to 2,046 bytes; three bytes a UTF-16 unit at most. */
    static final int MAX_LEXEME_CHARS = 680;

    private TsText() {}

    /** A term as it may be a lexeme: without control characters and lone surrogates, cut to what a lexeme may be. */
    static String clean(String term) {
        StringBuilder clean = null;
        int end = Math.min(term.length(), MAX_LEXEME_CHARS);
        for (int i = 0; i < end; i++) {
            char c = term.charAt(i);
            boolean pair = Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(term.charAt(i + 1));
            boolean good = pair || (!Character.isSurrogate(c) && !Character.isISOControl(c));
            if (!good && clean == null) {
                clean = new StringBuilder(end).append(term, 0, i);
            }
            if (clean != null && good) {
                clean.append(c);
                if (pair) {
                    clean.append(term.charAt(i + 1));
                }
            }
            if (pair) {
                i++;
            }
        }
        return clean == null ? term.substring(0, end) : clean.toString();
    }

    /** Appends the lexeme in quotes. */
    static StringBuilder quote(StringBuilder out, String lexeme) {
        out.append('\'');
        for (int i = 0; i < lexeme.length(); i++) {
            char c = lexeme.charAt(i);
            if (c == '\'' || c == '\\') {
                out.append(c);
            }
            out.append(c);
        }
        return out.append('\'');
    }

    /**
     * Reads the lexemes of a {@code tsvector} in text form, as PostgreSQL prints it, in one pass.
     *
     * @throws IllegalArgumentException if it is not one
     */
    static void read(String tsvector, Entry sink) {
        int i = 0;
        int length = tsvector.length();
        StringBuilder lexeme = new StringBuilder();
        while (i < length) {
            if (tsvector.charAt(i) == ' ') {
                i++;
                continue;
            }
            if (tsvector.charAt(i) != '\'') {
                throw new IllegalArgumentException("not a tsvector at " + i);
            }
            lexeme.setLength(0);
            i = readQuoted(tsvector, i + 1, lexeme);
            String word = lexeme.toString();
            while (i < length && (tsvector.charAt(i) == ':' || tsvector.charAt(i) == ',')) {
                i++;
                int position = 0;
                while (i < length && Character.isDigit(tsvector.charAt(i))) {
                    position = 10 * position + (tsvector.charAt(i++) - '0');
                }
                char weight = 'D';
                if (i < length && tsvector.charAt(i) >= 'A' && tsvector.charAt(i) <= 'C') {
                    weight = tsvector.charAt(i++);
                }
                sink.accept(word, position, weight);
            }
        }
    }

    private static int readQuoted(String text, int from, StringBuilder lexeme) {
        int i = from;
        while (i < text.length()) {
            char c = text.charAt(i++);
            if (c == '\'' || c == '\\') {
                if (i >= text.length() || text.charAt(i) != c) {
                    return i;
                }
                i++;
            }
            lexeme.append(c);
        }
        throw new IllegalArgumentException("a lexeme without its closing quote");
    }

    /** One position of one lexeme. */
    @FunctionalInterface
    interface Entry {
        /** Takes it; the weight is {@code D} where none is printed. */
        void accept(String lexeme, int position, char weight);
    }
}
