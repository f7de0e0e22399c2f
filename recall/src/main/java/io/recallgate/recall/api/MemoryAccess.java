package io.recallgate.recall.api;

import java.time.Instant;

/**
 * How often a memory was recalled.
 *
 * @param count of recalls that had it among their hits, 1 or more
 * @param lastAt when the latest one was
 */
public record MemoryAccess(long count, Instant lastAt) {}
