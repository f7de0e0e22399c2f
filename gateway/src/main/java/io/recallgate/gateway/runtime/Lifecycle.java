package io.recallgate.gateway.runtime;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of a gateway and its one transition method. Any thread. */
final class Lifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);

    private volatile LifecycleState state = LifecycleState.NEW;

    LifecycleState state() {
        return state;
    }

    /** @throws IllegalStateException if {@code next} may not follow */
    synchronized void to(LifecycleState next) {
        if (!state.next().contains(next)) {
            throw new IllegalStateException("a gateway cannot go from " + state + " to " + next);
        }
        LOG.debug("gateway {} -> {}", state, next);
        state = next;
    }

    /** Goes to {@code next} unless something else came first, such as a stop during the start. */
    synchronized boolean toIfLegal(LifecycleState next) {
        if (!state.next().contains(next)) {
            return false;
        }
        to(next);
        return true;
    }
}
