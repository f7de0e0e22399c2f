package io.recallgate.recall.search;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.RankingSignal;
import io.recallgate.recall.api.RecallHit;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.lexical.Candidates;
import io.recallgate.recall.lexical.LexicalHit;
import io.recallgate.recall.lexical.LexicalLeg;
import io.recallgate.recall.lexical.LexicalResult;
import io.recallgate.recall.lexical.LexicalSearch;
import io.recallgate.recall.log.RecallRecord;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.recall.rank.Evidence;
import io.recallgate.recall.rank.Fused;
import io.recallgate.recall.rank.Fusion;
import io.recallgate.recall.rank.Pool;
import io.recallgate.recall.rank.Scored;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link RecallService}. Words and meaning start together; the answer waits for the meaning as long as its limits allow
 * and no longer. May be called on any thread; holds no state between recalls.
 */
public final class Recaller implements RecallService {

    private static final Logger LOG = LoggerFactory.getLogger(Recaller.class);

    private final Legs legs;
    private final Clock clock;
    private final Timers timers;
    private final Supplier<RecallSettings> settings;
    private final Outlets outlets;

    /** The parts that search and load. */
    record Legs(LexicalLeg lexical, VectorLeg vector, HitLoader loader) {}

    /** Where it tells what it does. */
    record Outlets(
            MeterRegistry meters,
            Consumer<DegradeReason> degraded,
            Consumer<RecallRecord> log,
            Consumer<List<UUID>> accessed) {}

    Recaller(Legs legs, Clock clock, Timers timers, Supplier<RecallSettings> settings, Outlets outlets) {
        this.legs = legs;
        this.clock = clock;
        this.timers = timers;
        this.settings = settings;
        this.outlets = outlets;
        RecallMetric.DEGRADED.all(outlets.meters());
        RecallMetric.LEG_DURATION.all(outlets.meters());
        for (RecallMode mode : RecallMode.values()) {
            RecallMetric.RECALL.timer(outlets.meters(), mode.wireName(), mode.wireName());
        }
        RecallMetric.RECALL.timer(outlets.meters(), RecallMode.HYBRID.wireName(), RecallMode.LEXICAL.wireName());
    }

    @Override
    public Future<RecallResponse> recall(Scope scope, RecallRequest request) {
        if (request.cancel().isCancelled()) {
            return Future.failedFuture(cancelled());
        }
        if (request.deadline().isPassed()) {
            return Future.failedFuture(late());
        }
        Call call =
                new Call(UUID.randomUUID(), scope, request, settings.get(), new Stopwatch(clock), new CancelSignal());
        Race<RecallResponse> race = new Race<>(timers, request.deadline(), Recaller::late);
        CancelSignal.Registration registration = request.cancel().onCancel(cause -> {
            call.over.cancel(cause);
            race.fail(cancelled());
        });
        race.future().onComplete(outcome -> {
            registration.remove();
            // Whatever still runs for this call has nobody left to wait for it.
            call.over.cancel(request.deadline().isPassed() ? CancelCause.DEADLINE : CancelCause.SUPERSEDED);
            if (outcome.succeeded()) {
                report(call, outcome.result());
            } else {
                FailureCode code = FailureException.of(outcome.cause()).code();
                RecallMetric.FAILURES.counter(outlets.meters(), code.code()).increment();
                log(call, new RecallRecord.Failed(code));
            }
        });
        if (request.mode() != RecallMode.STRICT && legs.lexical.isTruncated(request.query())) {
            call.watch.tally().truncated();
        }
        (request.mode() == RecallMode.HYBRID && !request.query().isBlank() ? hybrid(call) : byWords(call))
                .onComplete(race::settle);
        return race.future();
    }

    /**
     * One recall on its way.
     *
     * @param settings as they were when it came
     * @param over fires when its answer is settled
     */
    private record Call(
            UUID id, Scope scope, RecallRequest request, RecallSettings settings, Stopwatch watch, CancelSignal over) {
        RankingSettings ranking() {
            return settings.ranking();
        }

        Deadline deadline() {
            return request.deadline();
        }
    }

    /** What is answered, but for the hits' contents. */
    private record Order(
            RecallMode served,
            @Nullable DegradeReason degraded,
            @Nullable Double coverage,
            @Nullable String fingerprint,
            List<Fused> hits) {}

    /** Lexical and strict, and hybrid for a question without text, of which there is no meaning to look for. */
    private Future<RecallResponse> byWords(Call call) {
        return words(call)
                .onSuccess(found -> call.watch.tally().words(found.hits().size()))
                .compose(found -> answer(
                        call,
                        new Order(
                                call.request.mode(),
                                null,
                                null,
                                null,
                                Fusion.lexicalOnly(evidence(found, call.ranking()), call.request.limit()))));
    }

    private Future<RecallResponse> hybrid(Call call) {
        RecallSettings now = call.settings;
        String text = now.ranking().has(RankingSignal.NAME_STRIPPING)
                ? legs.lexical.withoutNames(call.scope, call.request.query())
                : call.request.query();
        VectorLeg.Run meaning = legs.vector.start(
                "recall-" + call.id,
                call.scope,
                call.request,
                text,
                now.embeddingTimeoutMillis(),
                call.watch,
                call.over);
        call.over.onCancel(meaning::abandon);
        long started = call.watch.now();
        Future<Candidates> words = lexical(call)
                .candidates(search(call, LexicalSearch.MAX_LIMIT, now.ranking()), call.deadline())
                .onComplete(ignored -> call.watch.lexicalSince(started));
        // Without the words there is no answer: then nothing waits for the meaning.
        return words.compose(candidates -> meaning.found()
                .transform(outcome -> outcome.succeeded()
                        ? fused(call, candidates, outcome.result(), now.ranking())
                        : degraded(call, candidates, Degradation.of(outcome.cause()))));
    }

    private Future<LexicalResult> words(Call call) {
        long started = call.watch.now();
        // What is pinned may come up from further down than the answer goes.
        boolean pinned =
                call.request.mode() != RecallMode.STRICT && call.ranking().has(RankingSignal.PINNED);
        LexicalSearch search = search(call, pinned ? LexicalSearch.MAX_LIMIT : call.request.limit(), call.ranking());
        LexicalLeg leg = lexical(call);
        return (call.request.mode() == RecallMode.STRICT
                        ? leg.strict(search, call.deadline())
                        : leg.search(search, call.deadline()))
                .onComplete(ignored -> call.watch.lexicalSince(started));
    }

    /** Its statements end with the call. */
    private LexicalLeg lexical(Call call) {
        return legs.lexical.cancelledBy(call.over);
    }

    private static LexicalSearch search(Call call, int limit, RankingSettings ranking) {
        RecallRequest request = call.request;
        return new LexicalSearch(
                call.scope,
                request.query(),
                limit,
                request.session(),
                request.kinds(),
                ranking,
                request.includeSuperseded());
    }

    private Future<LexicalResult> inContext(Call call, Candidates candidates, List<UUID> others) {
        long started = call.watch.now();
        return lexical(call)
                .inContext(candidates, others, call.deadline())
                .onComplete(ignored -> call.watch.lexicalSince(started));
    }

    private Future<RecallResponse> fused(
            Call call, Candidates candidates, VectorLeg.Found meaning, RankingSettings ranking) {
        List<UUID> nearest = meaning.hits().stream().map(Scored::id).toList();
        return inContext(call, candidates, nearest).compose(words -> {
            Pool pool = new Pool(words.relevant() ? evidence(words, ranking) : List.of(), meaning.hits());
            call.watch
                    .tally()
                    .legs(
                            words.relevant() ? words.hits().size() : 0,
                            meaning.hits().size(),
                            pool.evidence().size());
            if (ranking.has(RankingSignal.AUTHOR_MATCH)) {
                pool.authored(words.authored());
            }
            if (ranking.has(RankingSignal.PINNED)) {
                pool.pinned(words.pinned());
            }
            // A scope without vectors has none of the others either.
            Future<Map<UUID, Double>> similarities = meaning.hits().isEmpty()
                            || pool.unmeasured().isEmpty()
                    ? Future.succeededFuture(Map.of())
                    : legs.vector.similarities(meaning, pool.unmeasured(), call.deadline(), call.watch, call.over);
            return similarities.transform(outcome -> outcome.succeeded()
                    ? answer(call, order(call, pool.measured(outcome.result()), meaning, ranking))
                    : degraded(call, candidates, Degradation.of(outcome.cause())));
        });
    }

    private static Order order(Call call, Pool pool, VectorLeg.Found meaning, RankingSettings ranking) {
        long started = call.watch.now();
        List<Fused> order = Fusion.fuse(pool.evidence(), ranking.fusion(), call.request.limit());
        call.watch.fusionSince(started);
        return new Order(
                RecallMode.HYBRID, null, meaning.coverage(), meaning.query().fingerprint(), order);
    }

    private Future<RecallResponse> degraded(Call call, Candidates candidates, Degradation degradation) {
        if (call.over.isCancelled()) {
            return Future.failedFuture(cancelled());
        }
        LOG.warn(
                "recall {} is served lexical instead of hybrid after {} ms: {} ({}); {}",
                call.id,
                Math.round(call.watch.timing().total()),
                degradation.reason().wireName(),
                degradation.getMessage(),
                degradation.reason().advice());
        RecallMetric.DEGRADED
                .counter(outlets.meters(), degradation.reason().wireName())
                .increment();
        outlets.degraded().accept(degradation.reason());
        Double coverage = degradation.reason() == DegradeReason.MODEL_MISMATCH ? 0.0 : null;
        return inContext(call, candidates, List.of())
                .onSuccess(words -> call.watch.tally().words(words.hits().size()))
                .compose(words -> answer(
                        call,
                        new Order(
                                RecallMode.LEXICAL,
                                degradation.reason(),
                                coverage,
                                null,
                                Fusion.lexicalOnly(evidence(words, call.ranking()), call.request.limit()))));
    }

    private Future<RecallResponse> answer(Call call, Order order) {
        long started = call.watch.now();
        return legs.loader
                .load(call.scope, order.hits, order.fingerprint, call.request.explain(), call.deadline(), call.over)
                .map(hits -> {
                    call.watch.fusionSince(started);
                    return response(call, order, hits);
                });
    }

    private static RecallResponse response(Call call, Order order, List<RecallHit> hits) {
        return new RecallResponse(
                call.id,
                call.request.mode(),
                order.served,
                order.degraded,
                order.coverage,
                call.watch.tally().isTruncated(),
                hits,
                call.watch.timing());
    }

    private void report(Call call, RecallResponse response) {
        outlets.accessed()
                .accept(response.hits().stream().map(hit -> hit.memory().id()).toList());
        legs.vector.answered(response.timing());
        RecallMetric.RECALL
                .timer(
                        outlets.meters(),
                        response.requested().wireName(),
                        response.served().wireName())
                .record(span(response.timing().total()));
        leg("embedding", response.timing().embedding());
        leg("lexical", response.timing().lexical());
        leg("vector", response.timing().vector());
        leg("fusion", response.timing().fusion());
        log(
                call,
                new RecallRecord.Answered(
                        response.served(), response.degraded(), response.hits().size(), response.vectorCoverage()));
        LOG.debug(
                "recall {}: {} asked, {} served, {} hits",
                call.id,
                response.requested(),
                response.served(),
                response.hits().size());
    }

    private void leg(String leg, @Nullable Double millis) {
        if (millis != null) {
            RecallMetric.LEG_DURATION.timer(outlets.meters(), leg).record(span(millis));
        }
    }

    private static Duration span(double millis) {
        return Duration.ofNanos((long) (millis * 1_000_000));
    }

    private void log(Call call, RecallRecord.Outcome outcome) {
        RecallRequest request = call.request;
        outlets.log()
                .accept(new RecallRecord(
                        call.id,
                        call.scope,
                        new RecallRecord.Question(
                                request.query(),
                                call.watch.tally().isTruncated(),
                                request.session() != null || !request.kinds().isEmpty()),
                        request.mode(),
                        outcome,
                        call.watch.tally().counts(),
                        call.watch.timing()));
    }

    private static List<Evidence> evidence(LexicalResult words, RankingSettings ranking) {
        List<Evidence> evidence = new ArrayList<>();
        for (LexicalHit hit : words.hits()) {
            Map<String, Double> parts = new HashMap<>();
            hit.parts().forEach((part, score) -> parts.put(part.wireName(), score));
            Evidence one = Evidence.ofWords(hit.memoryId(), hit.score(), evidence.size() + 1, parts);
            boolean pinned = ranking.has(RankingSignal.PINNED) && words.pinned().contains(hit.memoryId());
            evidence.add(pinned ? one.asPinned() : one);
        }
        return evidence;
    }

    private static FailureException cancelled() {
        return new FailureException(FailureCode.CANCELLED, "the caller gave up");
    }

    private static FailureException late() {
        return new FailureException(FailureCode.DEADLINE_EXCEEDED, "the deadline passed before anything was found");
    }
}
