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
        EXPIRED_INITIALISATIONS,
        EXPIRED_DISPATCHES,
        EXPIRED_EXECUTIONS,
        UNANSWERED_TERMINATIONS,
        UNCONFIRMED_EXITS,
        WORKERS_LOST,
        OUT_OF_MEMORY,
        ILLEGAL_EDGES,
        DEFECTS
    }

    /** Worker messages that may come late or twice, and rows that were not asked for. */
    enum Dropped {
        READY,
        START_FAILED,
        GREW,
        STARTED,
        COMPLETED,
        FAILED,
        CANCELLED,
        TERMINATED,
        STOPPED,
        EXITED,
        ROWS;

        String wireName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Map<Name, Long> counts = new EnumMap<>(Name.class);
    private final Map<Dropped, Long> dropped = new EnumMap<>(Dropped.class);

    void count(Name name) {
        add(name, 1);
    }

    void add(Name name, long amount) {
        counts.merge(name, amount, Long::sum);
    }

    /** A worker message that matched nothing. */
    void dropped(Dropped kind) {
        dropped.merge(kind, 1L, Long::sum);
    }

    Map<String, Long> counts() {
        Map<String, Long> all = new TreeMap<>();
        for (Name name : Name.values()) {
            all.put(name.name().toLowerCase(Locale.ROOT), counts.getOrDefault(name, 0L));
        }
        return all;
    }

    /** Every kind, also those that never came. */
    Map<String, Long> dropped() {
        Map<String, Long> all = new TreeMap<>();
        for (Dropped kind : Dropped.values()) {
            all.put(kind.wireName(), dropped.getOrDefault(kind, 0L));
        }
        return all;
    }
}
