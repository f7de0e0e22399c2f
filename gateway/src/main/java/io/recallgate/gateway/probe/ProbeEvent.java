package io.recallgate.gateway.probe;

/** What a gate is told. */
sealed interface ProbeEvent {

    /** The schedule begins, or goes on. */
    record Start(ProbeKey key) implements ProbeEvent {}

    /** The schedule ends. What is on its way is left to end. */
    record Stop() implements ProbeEvent {}

    /**
     * Time has passed.
     *
     * @param epoch of the schedule that set the timer
     * @param key as it is now
     */
    record Tick(long epoch, ProbeKey key) implements ProbeEvent {}

    /**
     * Somebody wants a result that is made now.
     *
     * @param waiter who
     * @param waitNanos how long for
     */
    record RunNow(long waiter, ProbeKey key, long waitNanos) implements ProbeEvent {}

    /** Somebody does not wait any more. */
    record Leave(long waiter) implements ProbeEvent {}

    /** An attempt has ended. */
    record Settled(long flight, ProbeOutcome outcome) implements ProbeEvent {}
}
