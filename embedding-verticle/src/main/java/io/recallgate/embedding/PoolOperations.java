package io.recallgate.embedding;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.embedding.pool.PoolEvent;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.function.Supplier;

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

    @Override
    public Future<JsonObject> replaceModel(String model) {
        return driver.ask(() -> {
            requireOpen(driver.snapshot());
            return driver.checks().check(model).map(checked -> replaceBy(model, checked));
        });
    }

    /** In a turn of the pool again, when it may have begun to shut down meanwhile. */
    private JsonObject replaceBy(String model, ModelIdentity checked) {
        PoolSnapshot before = driver.snapshot();
        requireOpen(before);
        boolean serves = model.equals(before.model()) && checked.equals(before.identity());
        if (!serves && !isUnderWay(before, model, checked)) {
            driver.deliver(new PoolEvent.ReplaceModel(model, checked.fingerprint()));
        }
        return StatusJson.replaced(
                before.model(), driver.snapshot(), serves, driver.time().clock().instant());
    }

    /** Asked for twice; once more after trouble is a wish to try again at once. */
    private static boolean isUnderWay(PoolSnapshot pool, String model, ModelIdentity checked) {
        PoolSnapshot.ReplacementView running = pool.replacement();
        return running != null
                && pool.startTrouble() == null
                && running.to().equals(model)
                && running.fingerprint().equals(checked.fingerprint());
    }

    private static void requireOpen(PoolSnapshot pool) {
        if (pool.closed()) {
            throw new FailureException(FailureCode.SHUTTING_DOWN, "the embedding pool is shutting down");
        }
    }

    private static void requireSlot(PoolSnapshot pool, int slot) {
        if (slot < 0 || slot >= pool.slots().size()) {
            throw new FailureException(
                    FailureCode.NOT_FOUND,
                    "there is no slot " + slot + "; slots are 0 to "
                            + (pool.slots().size() - 1));
        }
        requireOpen(pool);
    }

    private <T> Future<T> onPool(Supplier<T> read) {
        return driver.ask(() -> Future.succeededFuture(read.get()));
    }
}
