package io.recallgate.embedding.remote;

import io.recallgate.embedding.api.Priority;
import io.recallgate.time.Timers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request to the provider, and the connection that it takes up. Confined to the provider's context. */
final class Flight {

    final Work work;
    final List<ProviderRow> rows;
    /** Its number for the breaker. */
    final long attempt;
    /** Whether its end decides about the breaker, so that it goes on without its caller. */
    final boolean probe;

    private final long startedNanos;
    private ProviderClient.@Nullable Exchange exchange;
    Timers.@Nullable Timer bound;
    /** Whether the breaker has been told how it ended. */
    boolean judged;
    /** Whether nobody waits for it any more. */
    boolean abandoned;
    /** Whether its connection is free again. */
    boolean over;

    Flight(Work work, List<ProviderRow> rows, long attempt, boolean probe, long startedNanos) {
        this.work = work;
        this.rows = rows;
        this.attempt = attempt;
        this.probe = probe;
        this.startedNanos = startedNanos;
    }

    /** It is on its way; all its clocks run already. */
    void departs(ProviderClient.Exchange on) {
        exchange = on;
    }

    /** Closes its connection. */
    void reset() {
        if (exchange != null) {
            exchange.reset();
        }
    }

    Priority priority() {
        return work.request.priority();
    }

    boolean isQuery() {
        return priority() == Priority.QUERY;
    }

    long hadNanos(long now) {
        return now - startedNanos;
    }
}
