package io.recallgate.recall.lexical;

/** Text as it is in a pattern of LIKE. */
final class LikePattern {

    private LikePattern() {}

    /** The text with nothing in it that means anything else; backslash is what escapes. */
    static String literal(String text) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%' || c == '_' || c == '\\') {
                out.append('\\');
            }
            out.append(c);
        }
        return out.toString();
    }
}
