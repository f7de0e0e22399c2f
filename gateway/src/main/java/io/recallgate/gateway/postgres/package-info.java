/**
 * The embedded PostgreSQL: unpacks the binaries, makes the cluster, starts it with durable settings, restarts it when
 * it dies, stops it, and deals with one that an earlier gateway left behind. The binaries come from zonky; its runner
 * does not run here, because it starts PostgreSQL with fsync off and trust authentication, and an acknowledged memory
 * must survive a power cut.
 *
 * <p>Everything in here blocks and belongs on worker threads, except reading state.
 */
@NullMarked
package io.recallgate.gateway.postgres;

import org.jspecify.annotations.NullMarked;
