package io.recallgate.bench.pool;

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
        return new Figure(what, String.format(">= %.2f", goal), String.format("%.3f", value), value >= goal);
    }

    static Figure atMostMillis(String what, double goal, double value) {
        return new Figure(what, String.format("<= %.2f ms", goal), String.format("%.2f ms", value), value <= goal);
    }
}
