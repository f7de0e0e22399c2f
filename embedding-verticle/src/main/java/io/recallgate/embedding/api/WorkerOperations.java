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

    /**
     * Has another model serve. Its files are checked first, on a worker thread; if anything is wrong with them nothing
     * changes. Then the workers of the model before are drained, ended at the drain bound, and replaced as their ends
     * are confirmed; waiting work is done by the new model. Checks are made in the order of the calls, and the last
     * call wins: it supersedes a replacement that is under way. There is no way back by itself if workers of the new
     * model then do not start: vectors of two models cannot be compared, so which one serves is for people to decide.
     *
     * <p>Holds until the process ends; the configured model serves again after a restart.
     *
     * @param model a bundled name or a directory
     * @return {@code {"model":{"from","to"},"state","slots"}}, state {@code draining} while workers of the model before
     *     are there, {@code starting}, {@code serving}, or {@code unchanged} if it serves already; slots are those with
     *     a worker of the model before. Fails with {@code invalid-field} about {@code model}, with {@code overloaded}
     *     when too many checks wait, {@code shutting-down}, {@code no-embedding-provider} without a local pool
     */
    Future<JsonObject> replaceModel(String model);
}
