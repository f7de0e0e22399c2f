package io.recallgate.embedding.pool;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What happened so far. Only grows. */
final class Counters {

    /** What is counted. */
    enum Name {
        SUBMITTED,
        JOINED,
        REFUSED,
        RETAINED,
        RETAINED_USED,
        SLICES,
        ROWS,
        TOKENS,
        STARTS,
        START_FAILURES,
        TERMINATIONS,
        EXPIRIES,
        WORKERS_LOST,
        OUT_OF_MEMORY,
        ILLEGAL_EDGES
    }

    private final Map<Name, Long> counts = new EnumMap<>(Name.class);
    private final Map<String, Long> dropped = new TreeMap<>();

    void count(Name name) {
        add(name, 1);
    }

    void add(Name name, long amount) {
        counts.merge(name, amount, Long::sum);
    }

    /** A worker message that matched nothing. */
    void dropped(String kind) {
        dropped.merge(kind, 1L, Long::sum);
    }

    Map<String, Long> counts() {
        Map<String, Long> all = new TreeMap<>();
        for (Name name : Name.values()) {
            all.put(name.name().toLowerCase(Locale.ROOT), counts.getOrDefault(name, 0L));
        }
        return all;
    }

    Map<String, Long> dropped() {
        return dropped;
    }
}
