package io.recallgate.gateway.conversation.fit;

/** What came of fitting. */
public sealed interface FitOutcome permits FitPlan, FitOutcome.TooLong, FitOutcome.Expired {

    /**
     * What may not be cut is more than there is room for.
     *
     * @param needed tokens at least, with the memory blocks
     * @param budget tokens that there are
     * @param exact whether they were counted; an estimate is above the truth for most texts
     */
    record TooLong(long needed, long budget, boolean exact) implements FitOutcome {}

    /** Time ran out before everything was counted. */
    record Expired() implements FitOutcome {}
}
