package io.recallgate.recall.search;

import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.rank.Scored;
import io.recallgate.recall.search.Coverage.Counts;
import io.recallgate.recall.search.QueryEmbedding.Embedded;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.recall.vector.VectorIndex.VectorHit;
import io.recallgate.recall.vector.VectorIndex.VectorQuery;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The leg by meaning: embeds the question, asks the index, tells how much of the scope it could see. Every failure is a
 * {@link Degradation}; it never takes longer than its limits, and never so long that the words could not be answered.
 */
final class VectorLeg {

    /** Neighbours asked for: fusion needs more than the answer has, to scale cosines between first and last. */
    static final int NEIGHBOURS = 100;

    /** A search takes milliseconds, a first one of a large scope some hundreds; beyond this something is wrong. */
    static final long SEARCH_MILLIS = 2_000;

    private final QueryMemo memo;
    private final VectorIndex index;
    private final Coverage coverage;
    private final Clock clock;
    private final Timers timers;
    private final AnswerReserve reserve = new AnswerReserve();

    VectorLeg(QueryMemo memo, VectorIndex index, Coverage coverage, Clock clock, Timers timers) {
        this.memo = memo;
        this.index = index;
        this.coverage = coverage;
        this.clock = clock;
        this.timers = timers;
    }

    /**
     * What it found.
     *
     * @param hits nearest first
     * @param query what was asked of the index
     * @param coverage in which share of the scope it looked; null where that could not be counted
     */
    record Found(
            List<Scored> hits, VectorQuery query, @Nullable Double coverage) {}

    /** A leg that runs. */
    static final class Run {
        private final QueryEmbedding embedding;
        private final Future<Found> found;

        private Run(QueryEmbedding embedding, Future<Found> found) {
            this.embedding = embedding;
            this.found = found;
        }

        /** Fails with a {@link Degradation}. */
        Future<Found> found() {
            return found;
        }

        /** Gives up what still runs. */
        void abandon(CancelCause cause) {
            embedding.abandon(cause);
        }
    }

    /**
     * Starts.
     *
     * @param text what is embedded: the question, perhaps without names
     * @param embeddingTimeoutMillis the limit of the embedding alone
     * @param over fires when the recall has its answer: what still runs ends
     */
    Run start(
            String id,
            Scope scope,
            RecallRequest request,
            String text,
            long embeddingTimeoutMillis,
            Stopwatch watch,
            CancelSignal over) {
        Deadline end = reserve.before(request.deadline());
        Deadline limit = Deadline.afterMillis(clock, embeddingTimeoutMillis);
        boolean limited = limit.isBefore(end);
        QueryEmbedding embedding = QueryEmbedding.start(
                memo,
                timers,
                new QueryEmbedding.Question(id, scope.owner(), text, request.memo()),
                limited ? limit : end,
                limited ? DegradeReason.EMBEDDING_TIMEOUT : DegradeReason.DEADLINE_EXHAUSTED);
        long started = watch.now();
        Future<Found> found = embedding
                .future()
                .onComplete(outcome -> watch.embeddingSince(
                        started, outcome.succeeded() ? outcome.result().source() : null))
                .onSuccess(embedded -> {
                    if (embedded.truncated()) {
                        watch.tally().truncated();
                    }
                })
                .compose(embedded -> search(scope, request, embedded, end, watch, over));
        return new Run(embedding, found);
    }

    /** An answer was there; what it took is what the next is given. */
    void answered(RecallResponse.Timing timing) {
        Double lexical = timing.lexical();
        Double fusion = timing.fusion();
        if (lexical != null && fusion != null) {
            reserve.measured((long) ((lexical + fusion) * TimeUnit.MILLISECONDS.toNanos(1)));
        }
    }

    private Future<Found> search(
            Scope scope, RecallRequest request, Embedded embedded, Deadline end, Stopwatch watch, CancelSignal over) {
        long started = watch.now();
        Deadline limit = Deadline.afterMillis(clock, SEARCH_MILLIS);
        boolean limited = limit.isBefore(end);
        DegradeReason late = late(limited);
        Race<Found> race = new Race<>(timers, limited ? limit : end, () -> tooLate(late));
        VectorQuery query = new VectorQuery(
                scope,
                embedded.fingerprint(),
                embedded.vector(),
                NEIGHBOURS,
                request.session(),
                request.kinds(),
                request.includeSuperseded());
        // Counted beside the search; usually it is known already.
        Future<@Nullable Counts> counts =
                coverage.recent(scope, embedded.fingerprint()).otherwiseEmpty();
        asked(() -> index.search(query, limited ? limit : end, over))
                .compose(hits -> (hits.isEmpty()
                                ? coverage.now(scope, embedded.fingerprint()).otherwiseEmpty()
                                : counts)
                        .compose(counted -> found(hits, query, counted)))
                .onComplete(race::settle);
        return race.future()
                .onComplete(ignored -> watch.vectorSince(started))
                .recover(error -> Future.failedFuture(Degradation.of(error, late)));
    }

    /** What it is called when time is up: the index's own limit is much, so it is in trouble; what a request has is not. */
    private static DegradeReason late(boolean limited) {
        return limited ? DegradeReason.VECTOR_INDEX_UNAVAILABLE : DegradeReason.DEADLINE_EXHAUSTED;
    }

    private static Degradation tooLate(DegradeReason late) {
        return new Degradation(late, "the vector index did not answer in time");
    }

    private static <T> Future<T> asked(Supplier<Future<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private static Future<Found> found(List<VectorHit> hits, VectorQuery query, @Nullable Counts counts) {
        if (counts != null && hits.isEmpty() && counts.embedded() == 0 && counts.memories() > 0) {
            return Future.failedFuture(new Degradation(
                    DegradeReason.MODEL_MISMATCH, "no memory of the scope has a vector of the active model yet"));
        }
        List<Scored> scored = hits.stream()
                .map(hit -> new Scored(hit.memoryId(), hit.similarity()))
                .toList();
        return Future.succeededFuture(new Found(scored, query, counts == null ? null : counts.share()));
    }

    /**
     * How near memories are that the words found. Bounded by what the request has left; fails with a {@link Degradation}.
     *
     * @param over fires when the recall has its answer: what still runs ends
     */
    Future<Map<UUID, Double>> similarities(
            Found found, Collection<UUID> memoryIds, Deadline deadline, Stopwatch watch, CancelSignal over) {
        long started = watch.now();
        Deadline end = reserve.before(deadline);
        Deadline limit = Deadline.afterMillis(clock, SEARCH_MILLIS);
        boolean limited = limit.isBefore(end);
        DegradeReason late = late(limited);
        Race<Map<UUID, Double>> race = new Race<>(timers, limited ? limit : end, () -> tooLate(late));
        asked(() -> index.similarities(found.query, memoryIds, limited ? limit : end, over))
                .onComplete(race::settle);
        return race.future()
                .onComplete(ignored -> watch.vectorSince(started))
                .recover(error -> Future.failedFuture(Degradation.of(error, late)));
    }
}
