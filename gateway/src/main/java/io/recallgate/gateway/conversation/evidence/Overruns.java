package io.recallgate.gateway.conversation.evidence;

/** Told of phases that overran. Any thread may tell it; it returns at once and never throws. */
@FunctionalInterface
public interface Overruns {

    /** Keeps nothing. */
    Overruns NONE = overrun -> {};

    /** A phase took longer than it may. */
    void report(Overrun overrun);
}
