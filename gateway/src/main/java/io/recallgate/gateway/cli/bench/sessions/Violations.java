package io.recallgate.gateway.cli.bench.sessions;

import java.util.ArrayList;
import java.util.List;

/** What was found wrong while measuring; the first ones in words, all of them in number. Thread-safe. */
final class Violations {

    private static final int TOLD = 20;

    private final List<String> told = new ArrayList<>();
    private int count;

    synchronized void add(String where, String what) {
        count++;
        if (told.size() < TOLD) {
            told.add(where + ": " + what);
        }
    }

    synchronized List<String> told() {
        return List.copyOf(told);
    }

    synchronized int count() {
        return count;
    }
}
