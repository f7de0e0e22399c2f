package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.ModelIdentity;
import org.jspecify.annotations.Nullable;

/** What the parts of the dispatcher share. Confined, like all of them, to the context that owns the dispatcher. */
final class PoolState {

    final PoolLimits limits;
    final Outbox outbox = new Outbox();
    final Counters counters = new Counters();
    final Throughput throughput;
    final Operations operations;
    final Slots slots;
    final RetainedResults retained;
    final Quarantine quarantine;

    /** What workers are told to load. */
    String model;
    /** What the last ready worker of that model loaded, null before the first. */
    @Nullable
    ModelIdentity identity;
    /** Workers wanted with or without work. */
    int warmWorkers;

    boolean closed;
    boolean ended;

    PoolState(String model, PoolLimits limits, long now) {
        this.limits = limits;
        this.throughput = new Throughput(now);
        this.model = model;
        this.operations = new Operations(limits.queue(), outbox);
        this.slots = new Slots(limits, outbox, counters, now);
        this.retained = new RetainedResults(limits.retention());
        this.quarantine = new Quarantine(limits.retention());
    }

    /** Whether a waiting operation may be sent to a worker now. */
    boolean mayRun(Operation operation) {
        return quarantine.isEmpty() || !(quarantine.isFenced(operation.key) || quarantine.isHeld(operation.key));
    }

    /** Gives waiting work to the configured model, unless that may not run it: then it fails as new work would. */
    void rekey(Operation waiting, long now) {
        OperationKey key = waiting.key.withModel(model);
        if (quarantine.isFinal(key)) {
            operations.fail(waiting, Outcomes.givenUp(), now);
        } else if (quarantine.isHeld(key)) {
            operations.fail(waiting, Outcomes.quarantined(), now);
        } else {
            // It is run anew; what an earlier run left behind under this key would only be found by somebody else.
            retained.use(key);
            operations.rekey(waiting, model, now);
        }
    }

    /** Keeps what an unwanted operation has done so far, if the model that did it still serves. */
    void retain(Operation operation, long now) {
        ModelIdentity by = operation.identity();
        if (by != null && !closed && operation.key.model().equals(model) && operation.nextRow() > 0) {
            retained.keep(operation.key, by, operation.finished(), now);
            counters.count(Counters.Name.RETAINED);
        }
    }
}
