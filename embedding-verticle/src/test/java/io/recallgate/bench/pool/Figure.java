package io.recallgate.bench.pool;

import java.util.Locale;

/**
 * One line of the report.
 *
 * @param what was measured
 * @param goal in words, empty if there is none
 * @param value in words, with its unit
 * @param met whether the goal is met; true without one
 */
record Figure(String what, String goal, String value, boolean met) {

    static Figure plain(String what, String value) {
        return new Figure(what, "", value, true);
    }

    static Figure atLeast(String what, double goal, double value) {
        return new Figure(what, number(">= %.2f", goal), number("%.3f", value), value >= goal);
    }

    static Figure atMostMillis(String what, double goal, double value) {
        return new Figure(what, number("<= %.2f ms", goal), number("%.2f ms", value), value <= goal);
    }

    static Figure millis(String what, double value) {
        return plain(what, number("%.2f ms", value));
    }

    /** The same words in every locale, since scripts read them. */
    static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
