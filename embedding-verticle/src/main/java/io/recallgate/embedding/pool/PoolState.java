package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.ModelIdentity;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the parts of the dispatcher share. Confined, like all of them, to the context that owns the dispatcher. */
final class PoolState {

    /** More than anybody goes back and forth between while a thread is out with one of them. */
    private static final int MAX_EDITIONS = 64;

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
    /**
     * What work for that model is known under: not its name, because other files may be put under the same one. The
     * name stands for what was configured, whose fingerprint is not known before it is loaded; a fingerprint for
     * whatever came after it.
     */
    String edition;
    /** What the last ready worker of that model loaded, null before the first. */
    @Nullable
    ModelIdentity identity;
    /** The change of model that is not over yet, null if there is none. */
    @Nullable
    Replacement replacement;
    /** Why the last start of a worker of that model failed, null if it did not. */
    PoolSnapshot.@Nullable StartTrouble startTrouble;

    /** Editions by the fingerprints that were loaded as such: the same files are the same edition when they come back. */
    private final Map<String, String> editions = new LinkedHashMap<>();
    /** Workers wanted with or without work. */
    int warmWorkers;

    boolean closed;
    boolean ended;

    /**
     * A change of model.
     *
     * @param from what was to serve before
     * @param fingerprint of what is to serve
     * @param since when it was asked for
     */
    record Replacement(String from, String fingerprint, long since) {}

    PoolState(String model, PoolLimits limits, long now) {
        this.limits = limits;
        this.throughput = new Throughput(now);
        this.model = model;
        this.edition = model;
        this.operations = new Operations(limits.queue(), outbox);
        this.slots = new Slots(limits, outbox, counters, now);
        this.retained = new RetainedResults(limits.retention());
        this.quarantine = new Quarantine(limits.retention());
    }

    /** Another model is to serve. */
    void target(String next, String fingerprint, long now) {
        replacement = new Replacement(model, fingerprint, now);
        model = next;
        edition = editions.getOrDefault(fingerprint, fingerprint);
        identity = null;
        startTrouble = null;
        // Also those that hold this very model: they may have been told to end.
        slots.all().forEach(slot -> slot.outdated = slot.state.isCharged());
    }

    /** A worker of the model that is to serve has loaded it. */
    void loaded(ModelIdentity by) {
        identity = by;
        startTrouble = null;
        editions.putIfAbsent(by.fingerprint(), edition);
        if (editions.size() > MAX_EDITIONS) {
            editions.remove(editions.keySet().iterator().next());
        }
    }

    /** Slots that keep a change of model from being over: of another model, or still loading this one. */
    int slotsLeft() {
        return slots.count(slot -> slot.outdated || slot.state == SlotState.STARTING);
    }

    /** Whether a waiting operation may be sent to a worker now. */
    boolean mayRun(Operation operation) {
        return quarantine.isEmpty() || !(quarantine.isFenced(operation.key) || quarantine.isHeld(operation.key));
    }

    /** Gives waiting work to the configured model, unless that may not run it: then it fails as new work would. */
    void rekey(Operation waiting, long now) {
        OperationKey key = waiting.key.withModel(edition);
        quarantine.fenceLike(waiting.key, key);
        if (quarantine.isFinal(key)) {
            operations.fail(waiting, Outcomes.givenUp(), now);
        } else if (quarantine.isHeld(key)) {
            operations.fail(waiting, Outcomes.quarantined(), now);
        } else {
            // It is run anew; what an earlier run left behind under this key would only be found by somebody else.
            retained.use(key);
            operations.rekey(waiting, edition, now);
        }
    }

    /** Keeps what an unwanted operation has done so far, if the model that did it still serves. */
    void retain(Operation operation, long now) {
        ModelIdentity by = operation.identity();
        if (by != null && !closed && operation.key.model().equals(edition) && operation.nextRow() > 0) {
            retained.keep(operation.key, by, operation.finished(), now);
            counters.count(Counters.Name.RETAINED);
        }
    }
}
