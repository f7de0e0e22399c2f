package io.recallgate.embedding.remote;

/** What the breaker's owner is to do. */
sealed interface BreakerEffect {

    /** Send the query. */
    record Admit() implements BreakerEffect {}

    /**
     * Send the query, and see it through beyond its caller's patience: its end decides.
     *
     * @param boundNanos how long it may take
     */
    record Probe(long boundNanos) implements BreakerEffect {}

    /**
     * Send nothing.
     *
     * @param retryNanos when asking again makes sense
     */
    record Refuse(long retryNanos) implements BreakerEffect {}

    /**
     * Tell that the state changed. With {@link BreakerState#OPEN}, queries that still wait for a connection are refused.
     *
     * @param retryNanos until a query may probe, if it is open now
     */
    record Moved(BreakerState from, BreakerState to, long retryNanos) implements BreakerEffect {}
}
