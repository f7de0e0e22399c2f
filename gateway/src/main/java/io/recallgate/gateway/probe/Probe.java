package io.recallgate.gateway.probe;

import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** What is tried out again and again. Called on one context, never again before it has settled. */
public interface Probe {

    /** Which one it is. */
    ProbeName name();

    /**
     * Why there is nothing to try out, in a short stable word.
     *
     * @param key what would be tried out now
     * @return null if there is something
     */
    @Nullable
    String disabled(ProbeKey key);

    /**
     * Does the work once.
     *
     * @param deadline by when it has settled
     * @param cancel fires when the gateway stops; it then settles soon
     * @return a failure is an outcome; should it fail all the same, that is told as one
     */
    Future<ProbeOutcome> attempt(Deadline deadline, CancelSignal cancel);
}
