package io.recallgate.gateway.http.conversation;

import io.recallgate.failure.FailureException;
import java.util.Locale;

/** How a turn ended, as metrics and the log have it. That memory was left out is no outcome but a label of the answer. */
enum TurnOutcome {
    /** The provider's answer, whatever it says, was relayed whole. */
    COMPLETED,
    /** The client left. */
    CLIENT_CANCEL,
    /** The request's lifetime, or its caller's own deadline, passed. */
    DEADLINE,
    /** The provider took too long to connect, to answer or to go on. */
    UPSTREAM_TIMEOUT,
    /** The provider was not reached, or broke off. */
    UPSTREAM_FAILED,
    /** It was not let in, or was no request that could be sent. */
    REFUSED,
    /** A defect of ours. */
    FAILED;

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    static TurnOutcome of(FailureException failure) {
        return switch (failure.code()) {
            case CANCELLED -> CLIENT_CANCEL;
            case DEADLINE_EXCEEDED -> DEADLINE;
            case UPSTREAM_TIMEOUT -> UPSTREAM_TIMEOUT;
            case UPSTREAM_FAILED -> UPSTREAM_FAILED;
            case INTERNAL -> FAILED;
            default -> REFUSED;
        };
    }

    String label() {
        return label;
    }
}
