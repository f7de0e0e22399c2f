package io.recallgate.embedding.remote;

/**
 * What the breaker is told about an attempt, which is one query on its way to the provider. Attempts are numbered
 * upwards in the order in which they ask.
 */
sealed interface BreakerEvent {

    /** The attempt's number. */
    long attempt();

    /** A query is about to be sent. Answered with exactly one of admit, probe and refuse. */
    record Asked(long attempt) implements BreakerEvent {}

    /** The provider answered in time, if only to say that it cannot: it does not stall. */
    record Answered(long attempt) implements BreakerEvent {}

    /**
     * The provider broke off, refused the connection or failed by itself.
     *
     * @param hadNanos since the attempt began
     * @param limitNanos the bound on a query's embedding that is in force
     */
    record Failed(long attempt, long hadNanos, long limitNanos) implements BreakerEvent {}

    /**
     * A clock ended the wait, whichever: the query's limit, the deadline of its request, or the probe's own bound.
     *
     * @param hadNanos since the attempt began
     * @param limitNanos the bound on a query's embedding that is in force
     */
    record Expired(long attempt, long hadNanos, long limitNanos) implements BreakerEvent {}
}
