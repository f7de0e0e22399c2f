package io.recallgate.embedding.protocol;

/** Why a run failed, as far as it matters for what comes next. */
public enum RunFailure {
    /** Native memory ran out: the work is tried once more in smaller slices, and the worker's token cap shrinks. */
    OUT_OF_MEMORY,
    /** The input is at fault: it fails, its neighbours do not. */
    POISON,
    /** Anything else that the runtime reported. */
    INTERNAL
}
