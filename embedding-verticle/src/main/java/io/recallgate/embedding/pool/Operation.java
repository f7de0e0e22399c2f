package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.protocol.PartTiming;
import io.recallgate.embedding.protocol.RowResult;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work and those who wait for it. Plain data: its state is changed by {@link Operations#transition} alone.
 */
final class Operation {

    final long id;
    final long submittedAt;
    final long bytes;
    final Priority admittedAs;
    /** Callers that have not settled, in the order of their coming. */
    final Set<Long> waiters = new LinkedHashSet<>();

    OperationKey key;
    Priority priority;
    OperationState state = OperationState.QUEUED;
    long queuedAt;
    /** Workers that were lost before they started it. */
    int dispatchLosses;
    /** Whether its rows run one to a slice, since a larger slice with them failed. */
    boolean alone;
    /** Whether it has failed for want of memory before. */
    boolean memoryRetried;

    private final List<RowResult> finished = new ArrayList<>();
    private List<EmbedInput> inputs;
    private @Nullable ModelIdentity identity;
    private long queueNanos = -1;
    private long tokenizeNanos;
    private long inferenceNanos;

    Operation(long id, OperationKey key, List<EmbedInput> inputs, Priority priority, long bytes, long now) {
        this.id = id;
        this.key = key;
        this.inputs = inputs;
        this.admittedAs = priority;
        this.priority = priority;
        this.bytes = bytes;
        this.submittedAt = now;
        this.queuedAt = now;
    }

    InputType inputType() {
        return key.inputType();
    }

    List<EmbedInput> inputs() {
        return inputs;
    }

    int nextRow() {
        return finished.size();
    }

    boolean isDone() {
        return finished.size() == inputs.size();
    }

    boolean hasWaiters() {
        return !waiters.isEmpty();
    }

    /** Takes note of the first dispatch; later ones are not queueing. */
    void dispatchedAt(long now) {
        if (queueNanos < 0) {
            queueNanos = now - submittedAt;
        }
    }

    /** Adds rows that a worker with this model has finished; rows of another model are forgotten first. */
    void addFinished(ModelIdentity by, List<RowResult> rows) {
        if (!by.equals(identity)) {
            finished.clear();
            identity = by;
        }
        finished.addAll(rows);
    }

    void addTiming(PartTiming timing) {
        tokenizeNanos += timing.tokenizeNanos();
        inferenceNanos += timing.inferenceNanos();
    }

    /** Starts from the first row again, for another model. */
    void forgetFinished() {
        finished.clear();
        identity = null;
    }

    /** Lets go of the texts, once nobody will run them again. */
    void forgetInputs() {
        inputs = List.of();
    }

    List<RowResult> finished() {
        return List.copyOf(finished);
    }

    @Nullable
    ModelIdentity identity() {
        return identity;
    }

    EmbedResult result() {
        ModelIdentity by = identity;
        if (by == null) {
            throw new IllegalStateException("operation " + id + " has no rows");
        }
        List<EmbeddingVector> vectors = new ArrayList<>(finished.size());
        List<Integer> tokens = new ArrayList<>(finished.size());
        List<Integer> truncated = new ArrayList<>();
        for (int row = 0; row < finished.size(); row++) {
            RowResult result = finished.get(row);
            vectors.add(result.vector());
            tokens.add(result.tokens());
            if (result.truncated()) {
                truncated.add(row);
            }
        }
        return new EmbedResult(
                by,
                vectors,
                tokens,
                truncated,
                new EmbedResult.Timing(Math.max(0, queueNanos), tokenizeNanos, inferenceNanos));
    }
}
