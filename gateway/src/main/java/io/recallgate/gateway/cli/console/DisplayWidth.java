package io.recallgate.gateway.cli.console;

/**
 * How many terminal cells text takes. East Asian wide and full-width characters and most emoji take two cells,
 * combining marks none (Unicode Standard Annex 11, in the coarse blocks that terminals agree on).
 */
public final class DisplayWidth {

    /** First and last code point of each block that is drawn two cells wide, ascending. */
    private static final int[][] WIDE = {
        {0x1100, 0x115F},
        {0x231A, 0x231B},
        {0x2329, 0x232A},
        {0x23E9, 0x23EC},
        {0x25FD, 0x25FE},
        {0x2614, 0x2615},
        {0x2648, 0x2653},
        {0x26A1, 0x26A1},
        {0x26AA, 0x26AB},
        {0x26BD, 0x26BE},
        {0x26C4, 0x26C5},
        {0x26D4, 0x26D4},
        {0x26EA, 0x26EA},
        {0x26F2, 0x26F3},
        {0x26F5, 0x26F5},
        {0x26FA, 0x26FA},
        {0x26FD, 0x26FD},
        {0x2705, 0x2705},
        {0x270A, 0x270B},
        {0x2728, 0x2728},
        {0x274C, 0x274C},
        {0x274E, 0x274E},
        {0x2753, 0x2755},
        {0x2757, 0x2757},
        {0x2795, 0x2797},
        {0x27B0, 0x27B0},
        {0x2B1B, 0x2B1C},
        {0x2B50, 0x2B50},
        {0x2E80, 0x303E},
        {0x3041, 0x33FF},
        {0x3400, 0x4DBF},
        {0x4E00, 0x9FFF},
        {0xA000, 0xA4CF},
        {0xA960, 0xA97F},
        {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},
        {0xFE30, 0xFE6F},
        {0xFF00, 0xFF60},
        {0xFFE0, 0xFFE6},
        {0x1F300, 0x1F64F},
        {0x1F680, 0x1F6FF},
        {0x1F900, 0x1F9FF},
        {0x1FA70, 0x1FAFF},
        {0x20000, 0x3FFFD},
    };

    private DisplayWidth() {}

    /** Cells that {@code text} takes on one line; control characters count none. */
    public static int of(String text) {
        int cells = 0;
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            cells += ofCodePoint(codePoint);
            i += Character.charCount(codePoint);
        }
        return cells;
    }

    /**
     * The longest beginning of {@code text} that fits, with {@code …} as its last cell if something was cut off.
     *
     * @param cells at least 1
     */
    public static String truncate(String text, int cells) {
        int used = 0;
        int cut = 0;
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            int width = ofCodePoint(codePoint);
            if (used + width > cells) {
                return text.substring(0, cut) + "…";
            }
            used += width;
            i += Character.charCount(codePoint);
            // One cell stays free for the ellipsis, should there be more.
            if (used <= cells - 1) {
                cut = i;
            }
        }
        return text;
    }

    /** {@code text} with spaces after it up to {@code cells}. */
    public static String padRight(String text, int cells) {
        return text + " ".repeat(Math.max(0, cells - of(text)));
    }

    /** {@code text} with spaces before it up to {@code cells}. */
    public static String padLeft(String text, int cells) {
        return " ".repeat(Math.max(0, cells - of(text))) + text;
    }

    private static int ofCodePoint(int codePoint) {
        if (codePoint < 0x20 || (codePoint >= 0x7F && codePoint < 0xA0)) {
            return 0;
        }
        if (codePoint < 0x300) {
            return 1;
        }
        return switch (Character.getType(codePoint)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
            default -> isWide(codePoint) ? 2 : 1;
        };
    }

    private static boolean isWide(int codePoint) {
        int low = 0;
        int high = WIDE.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (codePoint < WIDE[middle][0]) {
                high = middle - 1;
            } else if (codePoint > WIDE[middle][1]) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }
}
