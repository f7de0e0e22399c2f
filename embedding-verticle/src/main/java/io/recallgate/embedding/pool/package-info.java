/**
 * The embedding pool's whole state, without Vert.x and without threads: {@link
 * io.recallgate.embedding.pool.Dispatcher} takes a {@link io.recallgate.embedding.pool.PoolEvent} and the time, changes
 * its fields and returns {@link io.recallgate.embedding.pool.Effect}s for somebody else to perform. One context owns
 * it. That is what lets tests step it with a fake clock and explore it with seeded schedules.
 */
@NullMarked
package io.recallgate.embedding.pool;

import org.jspecify.annotations.NullMarked;
