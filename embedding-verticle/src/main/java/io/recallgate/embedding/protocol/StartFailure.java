package io.recallgate.embedding.protocol;

/** Why a worker did not start, as far as it matters for what comes next. */
public enum StartFailure {
    /** Trying again cannot help: files missing or damaged, checksum wrong, unsupported platform. */
    TERMINAL,
    /** It may work next time. Costs retry debt. */
    RETRYABLE
}
