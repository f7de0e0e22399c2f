package io.recallgate.recall.search;

import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.recall.api.EmbeddingSource;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the vectors of questions, by owner, model and exact text, and lets those who ask the same at the same time
 * share one embedding. Agents repeat themselves: of the questions of one public memory server 23 % came again within ten
 * minutes. Bounded in number, size and age; thread-safe.
 *
 * <p>By owner, although the vector would be the same: an answer that comes from here would tell one owner what another
 * has asked.
 */
final class QueryMemo {

    /** Most questions that are kept; with {@link #MAX_CHARS} and 3,072 dimensions some 20 MB at the very most. */
    static final int MAX_ENTRIES = 1_000;

    /** Longer texts are no questions that come again. */
    static final int MAX_CHARS = 4_096;

    /** When a vector is made anew. */
    static final long MAX_AGE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Embedder embedder;
    private final Supplier<@Nullable String> fingerprint;
    private final Clock clock;
    private final Map<Key, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Key, Flight> flights = new HashMap<>();

    /** @param fingerprint of the model that is active as far as it is known; while it is null, nothing is remembered */
    QueryMemo(Embedder embedder, Supplier<@Nullable String> fingerprint, Clock clock) {
        this.embedder = embedder;
        this.fingerprint = fingerprint;
        this.clock = clock;
    }

    /** What was embedded, and where it came from. */
    record Answer(EmbedResult result, EmbeddingSource source) {}

    private record Key(String owner, String fingerprint, String text) {}

    private record Kept(EmbedResult result, long atNanos) {}

    /** One embedding under way. Its deadline lies beyond its callers', so that a later one may join. */
    private static final class Flight {
        private final CancelSignal cancel = new CancelSignal();
        private final Promise<EmbedResult> result = Promise.promise();
        private final Deadline deadline;
        private int waiters;

        private Flight(Deadline deadline) {
            this.deadline = deadline;
        }
    }

    /**
     * Embeds the question, or takes what is known of it.
     *
     * @param request of one text; when its signal fires, its caller counts no more for the work it shares
     */
    Future<Answer> embed(String owner, String text, EmbedRequest request) {
        String model = fingerprint.get();
        if (model == null || text.length() > MAX_CHARS) {
            return direct(request);
        }
        Key key = new Key(owner, model, text);
        Flight flight;
        boolean joined;
        synchronized (this) {
            EmbedResult known = recall(key);
            if (known != null) {
                return Future.succeededFuture(new Answer(known, EmbeddingSource.MEMO));
            }
            Flight running = flights.get(key);
            joined = running != null && !running.deadline.isBefore(request.deadline());
            flight = joined && running != null ? running : begin(key, request);
            flight.waiters++;
        }
        // May fire at once: then this caller has left before the work begins, and nobody is asked.
        CancelSignal.Registration registration = request.cancel().onCancel(cause -> leave(key, flight, cause));
        flight.result.future().onComplete(done -> registration.remove());
        if (!joined) {
            start(key, flight, request);
        }
        EmbeddingSource source = joined ? EmbeddingSource.SHARED : EmbeddingSource.PROVIDER;
        return flight.result.future().map(result -> new Answer(result, source));
    }

    /** Embeds the question and neither takes nor leaves anything here. */
    Future<Answer> direct(EmbedRequest request) {
        return embedder.embed(request).map(result -> new Answer(result, EmbeddingSource.PROVIDER));
    }

    private @Nullable EmbedResult recall(Key key) {
        Kept found = kept.get(key);
        if (found != null && clock.nanoTime() - found.atNanos > MAX_AGE_NANOS) {
            kept.remove(key);
            return null;
        }
        return found == null ? null : found.result;
    }

    private Flight begin(Key key, EmbedRequest request) {
        // As long again as the first has: whoever comes while it waits finds its own deadline in there.
        long span = Math.max(0, request.deadline().remainingNanos());
        Flight flight = new Flight(Deadline.afterNanos(clock, 2 * span));
        flights.put(key, flight);
        return flight;
    }

    private void start(Key key, Flight flight, EmbedRequest request) {
        Future<EmbedResult> result;
        try {
            result = embedder.embed(new EmbedRequest(
                    request.id(),
                    request.inputs(),
                    request.inputType(),
                    request.priority(),
                    flight.deadline,
                    flight.cancel));
        } catch (RuntimeException defect) {
            result = Future.failedFuture(defect);
        }
        result.onComplete(done -> {
            settled(key, flight, done.result());
            flight.result.handle(done);
        });
    }

    private synchronized void settled(Key key, Flight flight, @Nullable EmbedResult result) {
        flights.remove(key, flight);
        if (result == null || !isWhole(result) || !result.model().fingerprint().equals(key.fingerprint)) {
            return;
        }
        kept.put(key, new Kept(result, clock.nanoTime()));
        if (kept.size() > MAX_ENTRIES) {
            kept.remove(kept.keySet().iterator().next());
        }
    }

    private static boolean isWhole(EmbedResult result) {
        return result.vectors().size() == 1
                && result.vectors().get(0).dimensions() == result.model().dimensions();
    }

    private void leave(Key key, Flight flight, CancelCause cause) {
        synchronized (this) {
            flight.waiters--;
            if (flight.waiters > 0) {
                return;
            }
            flights.remove(key, flight);
        }
        flight.cancel.cancel(cause);
    }
}
