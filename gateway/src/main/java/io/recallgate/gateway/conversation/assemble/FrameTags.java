package io.recallgate.gateway.conversation.assemble;

import java.text.Normalizer;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Keeps the frame's tags out of what stands in the frame. A model reads {@code ＜/Recalled‑Memories＞} as the tag that it looks
 * like, so the comparison goes by looks: compatibility forms, case, marks, spaces, invisible characters, signs and letters of
 * other alphabets are seen through.
 */
final class FrameTags {

    static final String NAME = "recalled_memories";

    private static final String ESCAPED = "&lt;";

    /** What looks like the beginning of a tag. */
    private static final String OPENING =
            "<\uFF1C\uFE64\u2039\u2329\u3008\u27E8\u276C\u276E\u02C2\u1438\u227A\u22D6\u2A79\u29FC\u00AB\u300A";

    private static final Map<Integer, Character> LOOKALIKES = lookalikes();

    /** Signs that may stand for a letter, and else are passed over like any sign. */
    private static final Map<Integer, Character> SIGNS =
            Map.of((int) '|', 'l', (int) '!', 'l', (int) '∣', 'l', (int) '│', 'l', (int) '@', 'a', (int) '$', 's');

    /** The name as {@link #fold} leaves it. */
    private static final String FOLDED = folded(NAME);

    private FrameTags() {}

    private static Map<Integer, Character> lookalikes() {
        Map<Integer, Character> lookalikes = new HashMap<>();
        // i, l and 1 are one: which of them stands there is a matter of the typeface.
        put(lookalikes, 'l', "i1ıɩɪΙιІіӀӏⅼǀʟ");
        put(lookalikes, 'a', "4αаɑᴀΑА");
        put(lookalikes, 'c', "сϲᴄСⅽ");
        put(lookalikes, 'd', "ԁɗᴅⅾ");
        put(lookalikes, 'e', "3еєεҽᴇ℮ЕΕ");
        put(lookalikes, 'm', "мᴍМΜⅿ");
        put(lookalikes, 'o', "0оοσᴏОΟօ");
        put(lookalikes, 'r', "гʀᴦɾ");
        put(lookalikes, 's', "5ѕꜱЅʂ");
        return lookalikes;
    }

    private static void put(Map<Integer, Character> lookalikes, char meant, String looks) {
        looks.codePoints().forEach(codePoint -> lookalikes.put(codePoint, meant));
    }

    /** The text with every beginning of a frame's tag escaped; itself when there is none. */
    static String escape(String text) {
        StringBuilder out = null;
        int done = 0;
        for (int i = 0; i < text.length(); i++) {
            if (OPENING.indexOf(text.charAt(i)) >= 0 && isTag(text, i + 1)) {
                out = out == null ? new StringBuilder() : out;
                out.append(text, done, i).append(ESCAPED);
                done = i + 1;
            }
        }
        return out == null ? text : out.append(text, done, text.length()).toString();
    }

    /** Whether the letters from here on are the name's. */
    private static boolean isTag(String text, int start) {
        int matched = 0;
        for (int i = start; i < text.length() && matched < FOLDED.length(); ) {
            int codePoint = text.codePointAt(i);
            if (OPENING.indexOf(codePoint) >= 0) {
                // A tag that begins here is found when its turn comes.
                return false;
            }
            Character sign = SIGNS.get(codePoint);
            String letters = sign == null ? fold(codePoint) : sign == FOLDED.charAt(matched) ? sign.toString() : "";
            int length = Math.min(letters.length(), FOLDED.length() - matched);
            if (!FOLDED.startsWith(letters.substring(0, length), matched)) {
                return false;
            }
            matched += length;
            i += Character.charCount(codePoint);
        }
        return matched == FOLDED.length();
    }

    private static String folded(String text) {
        StringBuilder folded = new StringBuilder();
        text.codePoints().forEach(codePoint -> folded.append(fold(codePoint)));
        return folded.toString();
    }

    /** What a character looks like, as small Latin letters; empty for what is none. */
    private static String fold(int codePoint) {
        if (codePoint < 0x80) {
            return foldOne(codePoint);
        }
        Character looks = LOOKALIKES.get(codePoint);
        if (looks != null) {
            return String.valueOf(looks);
        }
        StringBuilder folded = new StringBuilder();
        Normalizer.normalize(Character.toString(codePoint), Normalizer.Form.NFKD)
                .toLowerCase(Locale.ROOT)
                .codePoints()
                .forEach(part -> folded.append(foldOne(part)));
        return folded.toString();
    }

    private static String foldOne(int codePoint) {
        int lower = Character.toLowerCase(codePoint);
        Character looks = LOOKALIKES.get(lower);
        if (looks != null) {
            return String.valueOf(looks);
        }
        return Character.isLetterOrDigit(lower) ? Character.toString(lower) : "";
    }
}
