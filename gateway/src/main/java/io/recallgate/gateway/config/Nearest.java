package io.recallgate.gateway.config;

import java.util.Collection;
import java.util.Optional;

/** Finds what a mistyped name was probably meant to be. */
final class Nearest {

    /** Two slips of the finger, or one pair of letters the wrong way round; more is another word. */
    private static final int MAX_EDITS = 3;

    private Nearest() {}

    /**
     * The name that the fewest edits lead to.
     *
     * @param name what was written
     * @param names what exists
     * @param prefix of {@code name}'s length that all have in common; it tells nothing
     * @return empty if none is near
     */
    static Optional<String> of(String name, Collection<String> names, int prefix) {
        int bound = Math.min(MAX_EDITS, (name.length() - prefix) / 3);
        String best = null;
        int fewest = bound + 1;
        for (String candidate : names) {
            int edits = edits(name, candidate);
            if (edits < fewest) {
                best = candidate;
                fewest = edits;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Levenshtein's distance: letters to insert, remove or replace. */
    private static int edits(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] row = new int[to.length() + 1];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[to.length()];
    }
}
