package io.recallgate.embedding.pool;

import io.recallgate.embedding.protocol.WorkerDrops;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

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
        PAUSES,
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

    /**
     * Worker messages that may come late or twice, rows that were not asked for, and what workers say they have dropped
     * themselves.
     */
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
        ROWS,
        WORKER_MISDIRECTED,
        WORKER_REPEATED,
        WORKER_LATE,
        WORKER_CANCELLED,
        WORKER_CLOSED;

        private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');

        String wireName() {
            return wireName;
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

    /** What a worker has dropped since it told before; one that overtook a later one adds nothing. */
    void dropped(WorkerDrops before, WorkerDrops told) {
        grew(Dropped.WORKER_MISDIRECTED, before.misdirected(), told.misdirected());
        grew(Dropped.WORKER_REPEATED, before.repeated(), told.repeated());
        grew(Dropped.WORKER_LATE, before.late(), told.late());
        grew(Dropped.WORKER_CANCELLED, before.cancelled(), told.cancelled());
        grew(Dropped.WORKER_CLOSED, before.closed(), told.closed());
    }

    private void grew(Dropped kind, long before, long told) {
        if (told > before) {
            dropped.merge(kind, told - before, Long::sum);
        }
    }

    /** Every count by name, also those that are zero. */
    Map<String, Long> counts() {
        return shown(Name.values(), name -> name.wireName, counts);
    }

    /** Every kind, also those that never came. */
    Map<String, Long> dropped() {
        return shown(Dropped.values(), Dropped::wireName, dropped);
    }

    private static <K> Map<String, Long> shown(K[] all, Function<K, String> name, Map<K, Long> counted) {
        Map<String, Long> shown = new HashMap<>();
        for (K one : all) {
            shown.put(name.apply(one), counted.getOrDefault(one, 0L));
        }
        return shown;
    }
}
