package io.recallgate.recall.api;

import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One recall.
 *
 * @param query the question; may be empty, which finds nothing by meaning and the newest by words
 * @param mode how to search
 * @param limit 1 to {@link #MAX_LIMIT}
 * @param session only this session, null for all
 * @param kinds only these kinds, empty for all
 * @param explain whether hits carry each signal's contribution
 * @param includeSuperseded whether memories that others supersede may be hits
 * @param memo whether a vector that was made for the same question before will do
 * @param deadline when the caller stops waiting
 * @param cancel fires when the caller gives up
 */
public record RecallRequest(
        String query,
        RecallMode mode,
        int limit,
        @Nullable String session,
        Set<MemoryKind> kinds,
        boolean explain,
        boolean includeSuperseded,
        boolean memo,
        Deadline deadline,
        CancelSignal cancel) {

    /** The most hits of one recall. */
    public static final int MAX_LIMIT = 50;

    /** The usual number of hits. */
    public static final int DEFAULT_LIMIT = 10;

    /** Copies the kinds. */
    public RecallRequest {
        kinds = Set.copyOf(kinds);
    }

    /** One that takes a vector from before. */
    public RecallRequest(
            String query,
            RecallMode mode,
            int limit,
            @Nullable String session,
            Set<MemoryKind> kinds,
            boolean explain,
            Deadline deadline,
            CancelSignal cancel) {
        this(query, mode, limit, session, kinds, explain, true, deadline, cancel);
    }

    /** One without what is superseded. */
    public RecallRequest(
            String query,
            RecallMode mode,
            int limit,
            @Nullable String session,
            Set<MemoryKind> kinds,
            boolean explain,
            boolean memo,
            Deadline deadline,
            CancelSignal cancel) {
        this(query, mode, limit, session, kinds, explain, false, memo, deadline, cancel);
    }

    /** The same for another caller, who has until {@code end} and gives up when {@code signal} fires. */
    public RecallRequest during(Deadline end, CancelSignal signal) {
        return new RecallRequest(query, mode, limit, session, kinds, explain, includeSuperseded, memo, end, signal);
    }
}
