package io.recallgate.recall.database;

import io.vertx.sqlclient.Pool;

/**
 * The pool and who waits in front of it: what is given up together when nothing that is open is answered any more.
 * Thread-safe.
 */
final class Connections {

    private final Pool pool;
    private final PoolQueue queue;
    private volatile boolean abandoned;

    Connections(Pool pool, PoolQueue queue) {
        this.pool = pool;
        this.queue = queue;
    }

    Pool pool() {
        return pool;
    }

    PoolQueue queue() {
        return queue;
    }

    /** From now on nothing that comes of them says anything of the database, since we end them ourselves. */
    void abandon() {
        abandoned = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }
}
