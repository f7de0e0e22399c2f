package io.recallgate.embedding.remote;

import io.recallgate.caller.Caller;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Timers;
import io.recallgate.trace.CallContext;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One caller's request and how far it is. Confined to the provider's context. */
final class Work {

    final EmbedRequest request;
    final long bytes;
    private final Promise<EmbedResult> promise;
    private final Caller caller;
    /** What it is asked for; looked up where it is made, on the caller's thread. */
    final @Nullable CallContext call = CallContext.current();

    private final long arrivedNanos;

    /** What is left to send, the next first; several only for more rows than one request takes. */
    private List<List<ProviderRow>> parts = List.of();

    private int sent;
    private long queuedNanos;
    private long providerNanos;
    private final List<EmbeddingVector> vectors = new ArrayList<>();
    private final List<Integer> tokenCounts = new ArrayList<>();
    private final List<Integer> truncated = new ArrayList<>();

    private Timers.@Nullable Timer deadline;
    private CancelSignal.@Nullable Registration registration;
    private boolean settled;

    Work(EmbedRequest request, long bytes, Promise<EmbedResult> promise, Caller caller, long now) {
        this.request = request;
        this.bytes = bytes;
        this.promise = promise;
        this.caller = caller;
        this.arrivedNanos = now;
    }

    /** What ends its wait, apart from an answer. */
    void endsBy(Timers.Timer timer, CancelSignal.Registration cancel) {
        deadline = timer;
        registration = cancel;
        if (settled) {
            // The signal had fired before.
            timer.cancel();
            cancel.remove();
        }
    }

    void plan(List<List<ProviderRow>> all) {
        parts = all;
    }

    boolean isSettled() {
        return settled;
    }

    /** The rows to send next; the first ones end the wait in the queue. */
    List<ProviderRow> next(long now) {
        if (sent == 0) {
            queuedNanos = now - arrivedNanos;
        }
        return parts.get(sent++);
    }

    /** How long it has waited since it came. */
    long ageNanos(long now) {
        return now - arrivedNanos;
    }

    /** Takes the vectors of a part; true if that was the last. */
    boolean add(List<ProviderRow> part, AnswerReader.Vectors answer, long nanos) {
        providerNanos += nanos;
        for (ProviderRow row : part) {
            if (row.truncated()) {
                truncated.add(tokenCounts.size());
            }
            tokenCounts.add(row.estimatedTokens());
        }
        answer.promptTokens().ifPresent(total -> apportion(part.size(), total));
        vectors.addAll(answer.rows());
        return sent == parts.size();
    }

    /** The provider counts all rows together; each gets its share by estimate, and the sum stays what was counted. */
    private void apportion(int rows, int total) {
        int from = tokenCounts.size() - rows;
        List<Integer> shares = tokenCounts.subList(from, tokenCounts.size());
        long estimated = shares.stream().mapToLong(Integer::longValue).sum();
        long before = 0;
        int given = 0;
        for (int i = 0; i < rows; i++) {
            before += shares.get(i);
            int upTo = estimated == 0 ? (int) ((long) total * (i + 1) / rows) : (int) (total * before / estimated);
            shares.set(i, upTo - given);
            given = upTo;
        }
    }

    EmbedResult result(ModelIdentity model) {
        return new EmbedResult(
                model, vectors, tokenCounts, truncated, new EmbedResult.Timing(queuedNanos, 0, providerNanos));
    }

    /** Answers; the first answer wins. */
    boolean succeed(ModelIdentity model) {
        return settle(() -> promise.complete(result(model)));
    }

    /** Answers; the first answer wins. */
    boolean fail(FailureException failure) {
        return settle(() -> promise.fail(failure));
    }

    private boolean settle(Runnable answer) {
        if (settled) {
            return false;
        }
        settled = true;
        if (deadline != null) {
            deadline.cancel();
        }
        if (registration != null) {
            registration.remove();
        }
        caller.answer(answer);
        return true;
    }
}
