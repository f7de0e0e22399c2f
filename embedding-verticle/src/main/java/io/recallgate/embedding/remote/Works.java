package io.recallgate.embedding.remote;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The requests of callers that were let in and have no answer yet. Confined to the provider's context. */
final class Works {

    private final Quota quota;
    private final RemoteMetrics metrics;
    private final Set<Work> waiting = new LinkedHashSet<>();

    Works(Quota quota, RemoteMetrics metrics) {
        this.quota = quota;
        this.metrics = metrics;
    }

    /** Lets one in; otherwise says why not. */
    Optional<FailureException> enter(Work work) {
        Optional<FailureException> refusal = quota.enter(work.request.priority(), work.bytes);
        if (refusal.isEmpty()) {
            waiting.add(work);
        }
        return refusal;
    }

    /** Answers one, whether it was let in or not; one that has its answer keeps it. */
    void fail(Work work, FailureException failure) {
        if (work.fail(failure)) {
            gone(work, failure.code().code());
        }
    }

    /** Answers one with its vectors; one that has its answer keeps it. */
    void succeed(Work work, ModelIdentity model) {
        if (work.succeed(model)) {
            gone(work, "ok");
        }
    }

    private void gone(Work work, String outcome) {
        if (waiting.remove(work)) {
            quota.leave(work.request.priority(), work.bytes);
        }
        metrics.settled(outcome);
    }

    /** The one that waits with this signal, null if none does. */
    @Nullable
    Work of(CancelSignal signal) {
        return waiting.stream()
                .filter(work -> work.request.cancel() == signal)
                .findFirst()
                .orElse(null);
    }

    List<Work> all() {
        return List.copyOf(waiting);
    }

    int operations() {
        return quota.operations();
    }

    long bytes() {
        return quota.bytes();
    }
}
