package io.recallgate.gateway.runtime;

import io.recallgate.recall.database.DatabaseOptions;
import io.vertx.core.Future;

/** The PostgreSQL that serves, ours or another's. */
interface DatabasePart {

    /**
     * Makes it available.
     *
     * @return where it is; fails with one line that says what is wrong and what to do
     */
    Future<DatabaseOptions> start();

    /** Stops what {@link #start} started. Idempotent, also when nothing was started. */
    Future<Void> stop();

    /** {@code embedded} or {@code external}, and what else can be told at once, for health. */
    String describe();
}
