package io.recallgate.recall.lexical;

import io.recallgate.recall.api.MemoryKind;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a memory beside its words.
 *
 * @param id the memory
 * @param next the one that follows it in its session, null if it is not known
 * @param kind what it is
 * @param superseded whether another one stands in for it: then it only counts for its neighbours
 * @param pinned whether it is
 */
record Remembered(UUID id, @Nullable UUID next, MemoryKind kind, boolean superseded, boolean pinned) {}
