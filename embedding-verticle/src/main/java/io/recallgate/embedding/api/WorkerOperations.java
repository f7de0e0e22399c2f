package io.recallgate.embedding.api;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/** What an operator sees of an embedding pool and can do to it. May be called on any thread. */
public interface WorkerOperations {

    /**
     * The state of every slot, the queue, retry debt and the memory gate, in the shape of {@code GET /v1/workers}.
     *
     * @return never fails for a pool in trouble: showing that is what it is for
     */
    Future<JsonObject> status();

    /**
     * Restarts one slot: drains it, retires its worker, starts the next generation. A slot whose thread does not return
     * stays charged, and the answer says so.
     *
     * @param slot from zero
     * @return the slot as it is after the restart was accepted; fails with {@code not-found} for a slot that does not
     *     exist, {@code no-embedding-provider} without a local pool
     */
    Future<JsonObject> restart(int slot);
}
