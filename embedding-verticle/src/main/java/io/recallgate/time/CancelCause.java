package io.recallgate.time;

/** Why somebody stopped waiting. The cause travels with the cancellation, so that each has its own label and metric. */
public enum CancelCause {
    /** The caller asked for it. */
    CALLER,
    /** The caller's connection closed. */
    DISCONNECTED,
    /** The caller's deadline passed. */
    DEADLINE,
    /** The part that wanted the work no longer needs it (it has another answer). */
    SUPERSEDED,
    /** The process, or the component that owns the work, is shutting down. */
    SHUTDOWN
}
