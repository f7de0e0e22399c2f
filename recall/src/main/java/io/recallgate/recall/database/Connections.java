package io.recallgate.recall.database;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;

/**
 * The pool, who waits in front of it, and the line beside it on which its statements are cancelled: what is given up together when nothing that is open is answered any more.
 * Thread-safe.
 */
final class Connections {

    private final Pool pool;
    private final PoolQueue queue;
    private final StatementCancels cancels;
    private volatile boolean abandoned;

    Connections(Pool pool, PoolQueue queue, StatementCancels cancels) {
        this.pool = pool;
        this.queue = queue;
        this.cancels = cancels;
    }

    Pool pool() {
        return pool;
    }

    PoolQueue queue() {
        return queue;
    }

    StatementCancels cancels() {
        return cancels;
    }

    Future<Void> close() {
        return cancels.close().eventually(pool::close);
    }

    /** From now on nothing that comes of them says anything of the database, since we end them ourselves. */
    void abandon() {
        abandoned = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }
}
