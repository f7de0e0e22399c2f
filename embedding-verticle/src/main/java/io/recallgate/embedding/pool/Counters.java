package io.recallgate.embedding.pool;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
        DEFECTS;

        private final String wireName = name().toLowerCase(Locale.ROOT);
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

        private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');

        String wireName() {
            return wireName;
        }
    }

    private final Map<Name, Long> counts = new EnumMap<>(Name.class);
    private final Map<Dropped, Long> dropped = new EnumMap<>(Dropped.class);
    /** As they were last shown, null since something was counted: they are shown after every event. */
    private @Nullable Map<String, Long> shownCounts;

    private @Nullable Map<String, Long> shownDropped;

    void count(Name name) {
        add(name, 1);
    }

    void add(Name name, long amount) {
        counts.merge(name, amount, Long::sum);
        shownCounts = null;
    }

    /** A worker message that matched nothing. */
    void dropped(Dropped kind) {
        dropped.merge(kind, 1L, Long::sum);
        shownDropped = null;
    }

    /** By name; immutable. */
    Map<String, Long> counts() {
        Map<String, Long> shown = shownCounts;
        if (shown == null) {
            Map<String, Long> all = new HashMap<>();
            for (Name name : Name.values()) {
                all.put(name.wireName, counts.getOrDefault(name, 0L));
            }
            shown = Map.copyOf(all);
            shownCounts = shown;
        }
        return shown;
    }

    /** Every kind, also those that never came; immutable. */
    Map<String, Long> dropped() {
        Map<String, Long> shown = shownDropped;
        if (shown == null) {
            Map<String, Long> all = new HashMap<>();
            for (Dropped kind : Dropped.values()) {
                all.put(kind.wireName, dropped.getOrDefault(kind, 0L));
            }
            shown = Map.copyOf(all);
            shownDropped = shown;
        }
        return shown;
    }
}
