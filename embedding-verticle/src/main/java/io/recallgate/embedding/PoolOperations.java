package io.recallgate.embedding;

import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.embedding.pool.PoolEvent;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.Callable;

/** The pool as operators see it: any thread in, the caller's context out. */
final class PoolOperations implements WorkerOperations {

    private final PoolDriver driver;

    PoolOperations(PoolDriver driver) {
        this.driver = driver;
    }

    @Override
    public Future<JsonObject> status() {
        return onPool(
                () -> StatusJson.of(driver.snapshot(), driver.time().clock().instant()));
    }

    @Override
    public Future<JsonObject> restart(int slot) {
        return onPool(() -> {
            requireSlot(driver.snapshot(), slot);
            driver.deliver(new PoolEvent.RestartSlot(slot));
            return StatusJson.slot(
                    driver.snapshot().slots().get(slot), driver.time().clock().instant());
        });
    }

    private static void requireSlot(PoolSnapshot pool, int slot) {
        if (slot < 0 || slot >= pool.slots().size()) {
            throw new FailureException(
                    FailureCode.NOT_FOUND,
                    "there is no slot " + slot + "; slots are 0 to "
                            + (pool.slots().size() - 1));
        }
        if (pool.closed()) {
            throw new FailureException(FailureCode.SHUTTING_DOWN, "the embedding pool is shutting down");
        }
    }

    private <T> Future<T> onPool(Callable<T> read) {
        return driver.ask(() -> {
            try {
                return Future.succeededFuture(read.call());
            } catch (Exception e) {
                return Future.failedFuture(FailureException.of(e));
            }
        });
    }
}
