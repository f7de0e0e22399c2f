package io.recallgate.recall.api;

import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.time.Duration;

/** What recall did of late, from its log. Failures as in {@link MemoryService}. */
public interface RecallStatistics {

    /** The longest window. */
    Duration MAX_WINDOW = Duration.ofDays(366);

    /**
     * The scope's recalls of the last {@code window}, by the mode asked for. What was answered a second ago may be
     * missing: the log is written a moment later.
     *
     * @param window a second to {@link #MAX_WINDOW}
     */
    Future<RecallStats> recent(Scope scope, Duration window, Deadline deadline);
}
