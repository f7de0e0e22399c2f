package io.recallgate.recall.search;

import static io.recallgate.recall.MemoryFixture.await;
import static io.recallgate.recall.MemoryFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.EmbeddingSource;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.RankingSettings.FusionMethod;
import io.recallgate.recall.api.RecallHit;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.vector.ExactVectorIndex;
import io.recallgate.recall.vector.StoredVector;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecallerTest {

    private static final String MODEL = ScriptedEmbedder.MODEL.fingerprint();

    private static TestDatabase server;
    private static Vertx vertx;
    private static Database database;
    private static MemoryFixture memories;
    private static ReadWorkers workers;

    private final Scope scope = new Scope("owner-" + UUID.randomUUID(), "");
    private final FakeClock clock = new FakeClock();
    private final ScriptedEmbedder embedder = new ScriptedEmbedder();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final SwitchableIndex index = new SwitchableIndex();
    private final AtomicReference<RecallSettings> settings = new AtomicReference<>(RecallSettings.DEFAULTS);
    private final List<DegradeReason> degradations = new CopyOnWriteArrayList<>();
    private RecallService recaller;

    @BeforeAll
    static void open() {
        server = TestDatabase.embedded();
        vertx = Vertx.vertx();
        database = Database.open(vertx, server.options(), new VertxTimers(vertx));
        memories = new MemoryFixture(server);
        workers = new ReadWorkers(vertx, 2, 64);
    }

    @AfterAll
    static void close() {
        await(workers.close());
        await(database.close());
        await(vertx.close());
        memories.close();
        server.close();
    }

    @BeforeEach
    void makeRecaller() {
        index.target = new ExactVectorIndex(database, clock, workers, () -> 64L << 20, meters);
        recaller = SearchServices.create(
                new SearchServices.Parts(
                        database, new LuceneAnalysis(), embedder, index, () -> MODEL, degradations::add),
                clock,
                clock,
                settings::get,
                meters);
    }

    @AfterEach
    void leavesNoTimer() {
        assertThat(clock.pending()).isZero();
    }

    @Test
    void hybridFindsByWordsAndByMeaning() {
        UUID both = put("the observatory on the hill", 1, 0, 0, 0);
        UUID meaning = put("a telescope under a dome", 0.9f, 0.1f, 0, 0);
        UUID words = put("the observatory cafe serves soup", 0, 0, 0, 1);
        RecallResponse response = await(recall("observatory", RecallMode.HYBRID));
        assertThat(ids(response)).startsWith(both).contains(meaning, words).hasSize(3);
        assertThat(response.requested()).isEqualTo(RecallMode.HYBRID);
        assertThat(response.served()).isEqualTo(RecallMode.HYBRID);
        assertThat(response.degraded()).isNull();
        assertThat(response.vectorCoverage()).isEqualTo(1.0);
        assertThat(hit(response, both).lexicalRank()).isNotNull();
        assertThat(hit(response, both).vectorRank()).isEqualTo(1);
        assertThat(hit(response, meaning).lexicalRank()).isNull();
        assertThat(response.timing().embedding()).isNotNull();
        assertThat(response.timing().vector()).isNotNull();
        assertThat(embedder.lastText()).isEqualTo("observatory");
    }

    @Test
    void aProviderThatStallsCostsItsLimitAndNoMore() {
        UUID id = put("observatory", 1, 0, 0, 0);
        Promise<EmbedResult> stalled = embedder.stalls();
        Future<RecallResponse> answer = recall("observatory", RecallMode.HYBRID);
        clock.advanceMillis(2_499);
        assertThat(answer.isComplete()).isFalse();
        clock.advanceMillis(1);
        RecallResponse response = await(answer);
        assertDegraded(response, DegradeReason.EMBEDDING_TIMEOUT, id);
        assertThat(embedder.requests).hasSize(1);
        assertThat(embedder.requests.get(0).cancel().cause()).isEqualTo(CancelCause.DEADLINE);
        // Too late to matter, and harmless.
        stalled.complete(ScriptedEmbedder.answer(1, 0, 0, 0).result());
        assertThat(embedder.requests).hasSize(1);
    }

    @Test
    void theLimitIsReadForEachCall() {
        put("observatory", 1, 0, 0, 0);
        embedder.stalls();
        settings.set(new RecallSettings(50, 60_000, 5, 1_000, 300_000, 1_000, 3_600_000, 1 << 20));
        Future<RecallResponse> answer = recall("observatory", RecallMode.HYBRID);
        clock.advanceMillis(50);
        assertThat(await(answer).degraded()).isEqualTo(DegradeReason.EMBEDDING_TIMEOUT);
    }

    @Test
    void aShorterDeadlineOfTheRequestIsKeptWithAReserveAndHasItsOwnLabel() {
        UUID id = put("observatory", 1, 0, 0, 0);
        embedder.stalls();
        Future<RecallResponse> answer = recaller.recall(scope, request("observatory", RecallMode.HYBRID, 400));
        clock.advanceMillis(300);
        RecallResponse response = await(answer);
        assertDegraded(response, DegradeReason.DEADLINE_EXHAUSTED, id);
        assertThat(response.timing().total()).isLessThan(400);
    }

    @Test
    void whatAnsweringByWordsHasLatelyTakenIsKeptForIt() {
        AnswerReserve reserve = new AnswerReserve();
        Deadline deadline = Deadline.afterMillis(clock, 2_000);
        assertThat(reserve.before(deadline).remainingMillis()).isEqualTo(1_900);
        reserve.measured(TimeUnit.MILLISECONDS.toNanos(300));
        assertThat(reserve.before(deadline).remainingMillis()).isEqualTo(1_700);
        reserve.measured(TimeUnit.MILLISECONDS.toNanos(9_000));
        assertThat(reserve.before(deadline).remainingMillis()).isEqualTo(1_500);
        assertThat(reserve.before(Deadline.afterMillis(clock, 400)).remainingMillis())
                .isEqualTo(200);
        for (int i = 0; i < 100; i++) {
            reserve.measured(0);
        }
        assertThat(reserve.before(deadline).remainingMillis()).isEqualTo(1_900);
    }

    @Test
    void theSameQuestionAgainTakesTheVectorFromBeforeAndSaysSo() {
        put("observatory", 1, 0, 0, 0);
        RecallResponse first = await(recall("observatory", RecallMode.HYBRID));
        RecallResponse again = await(recall("observatory", RecallMode.HYBRID));
        assertThat(embedder.requests).hasSize(1);
        assertThat(first.timing().source()).isEqualTo(EmbeddingSource.PROVIDER);
        assertThat(again.timing().source()).isEqualTo(EmbeddingSource.MEMO);
        assertThat(again.toJson().getJsonObject("timing_ms").getString("embedding_source"))
                .isEqualTo("memo");
        assertThat(ids(again)).isEqualTo(ids(first));
    }

    @Test
    void whoeverDoesNotWantAVectorFromBeforeGetsAFreshOne() {
        put("observatory", 1, 0, 0, 0);
        await(recall("observatory", RecallMode.HYBRID));
        RecallResponse fresh = await(recaller.recall(
                scope,
                new RecallRequest(
                        "observatory",
                        RecallMode.HYBRID,
                        10,
                        null,
                        Set.of(),
                        false,
                        false,
                        Deadline.afterMillis(clock, 10_000),
                        new CancelSignal())));
        assertThat(embedder.requests).hasSize(2);
        assertThat(fresh.timing().source()).isEqualTo(EmbeddingSource.PROVIDER);
    }

    @ParameterizedTest
    @CsvSource({
        "OVERLOADED, EMBEDDING_OVERLOADED",
        "EMBEDDING_UNAVAILABLE, EMBEDDING_UNAVAILABLE",
        "SHUTTING_DOWN, EMBEDDING_UNAVAILABLE",
        "MODEL_UNUSABLE, EMBEDDING_UNAVAILABLE",
        "EMBEDDING_FAILED, EMBEDDING_ERROR",
        "QUARANTINED, EMBEDDING_ERROR",
        "EMBEDDING_GIVEN_UP, EMBEDDING_ERROR",
        "INTERNAL, EMBEDDING_ERROR",
        "NO_EMBEDDING_PROVIDER, NO_EMBEDDING_PROVIDER",
        "EMBEDDING_CIRCUIT_OPEN, EMBEDDING_CIRCUIT_OPEN",
        "DIMENSION_MISMATCH, DIMENSION_MISMATCH",
        "DEADLINE_EXCEEDED, EMBEDDING_TIMEOUT"
    })
    void eachTroubleOfTheProviderHasItsLabel(FailureCode code, DegradeReason reason) {
        UUID id = put("observatory", 1, 0, 0, 0);
        embedder.fails(code);
        assertDegraded(await(recall("observatory", RecallMode.HYBRID)), reason, id);
    }

    @Test
    void aProviderThatThrowsIsAnError() {
        UUID id = put("observatory", 1, 0, 0, 0);
        embedder.throwsAtOnce();
        assertDegraded(await(recall("observatory", RecallMode.HYBRID)), DegradeReason.EMBEDDING_ERROR, id);
    }

    @Test
    void aVectorOfAnotherDimensionThanItsModelIsToldApart() {
        UUID id = put("observatory", 1, 0, 0, 0);
        embedder.answers(1, 0);
        assertDegraded(await(recall("observatory", RecallMode.HYBRID)), DegradeReason.DIMENSION_MISMATCH, id);
    }

    @Test
    void storedVectorsOfAnotherDimensionAreToldApart() {
        UUID id = memories.turn(scope, "observatory");
        memories.vector(scope, id, MODEL, 0, EmbeddingVector.of(1, 0, 0));
        assertDegraded(await(recall("observatory", RecallMode.HYBRID)), DegradeReason.DIMENSION_MISMATCH, id);
    }

    @Test
    void memoriesWithoutAnyVectorOfTheModelAreAModelMismatch() {
        UUID id = memories.turn(scope, "observatory");
        memories.vector(scope, id, "another model", 0, EmbeddingVector.of(1, 0, 0, 0));
        RecallResponse response = await(recall("observatory", RecallMode.HYBRID));
        assertDegraded(response, DegradeReason.MODEL_MISMATCH, id);
        assertThat(response.vectorCoverage()).isEqualTo(0.0);
    }

    @Test
    void aMemoryCountsOnceAndOnlyWithAllItsPassages() {
        UUID whole = memories.turn(scope, "observatory");
        UUID partly = memories.turn(scope, "observatory too");
        UUID without = memories.turn(scope, "observatory as well");
        for (int passage = 0; passage < 3; passage++) {
            memories.vector(scope, whole, MODEL, passage, 3, EmbeddingVector.of(1, 0, 0, 0));
        }
        for (int passage = 1; passage < 3; passage++) {
            memories.vector(scope, partly, MODEL, passage, 3, EmbeddingVector.of(0, 1, 0, 0));
        }
        RecallResponse response = await(recall("observatory", RecallMode.HYBRID));
        assertThat(ids(response)).containsExactlyInAnyOrder(whole, partly, without);
        assertThat(response.vectorCoverage()).isEqualTo(1.0 / 3);
    }

    @Test
    void someVectorsAreServedWithTheirCoverage() {
        put("observatory", 1, 0, 0, 0);
        UUID pending = memories.turn(scope, "another observatory");
        RecallResponse response = await(recall("observatory", RecallMode.HYBRID));
        assertThat(response.degraded()).isNull();
        assertThat(response.vectorCoverage()).isEqualTo(0.5);
        assertThat(ids(response)).contains(pending);
    }

    @Test
    void anEmptyScopeIsAMissAndNoDegradation() {
        RecallResponse response = await(recall("observatory", RecallMode.HYBRID));
        assertThat(response.hits()).isEmpty();
        assertThat(response.degraded()).isNull();
        assertThat(response.served()).isEqualTo(RecallMode.HYBRID);
    }

    @Test
    void aFilterThatLeavesNoVectorIsNoModelMismatch() {
        put("observatory", 1, 0, 0, 0);
        RecallResponse response = await(recaller.recall(
                scope,
                new RecallRequest(
                        "observatory",
                        RecallMode.HYBRID,
                        10,
                        "no such session",
                        Set.of(),
                        false,
                        Deadline.afterMillis(clock, 10_000),
                        new CancelSignal())));
        assertThat(response.hits()).isEmpty();
        assertThat(response.degraded()).isNull();
    }

    @Test
    void anIndexThatFailsIsUnavailable() {
        UUID id = put("observatory", 1, 0, 0, 0);
        index.fails = new FailureException(FailureCode.DATABASE_UNAVAILABLE, "scripted");
        assertDegraded(await(recall("observatory", RecallMode.HYBRID)), DegradeReason.VECTOR_INDEX_UNAVAILABLE, id);
    }

    /** It has the same deadline, and may see it pass before our own clock does. */
    @ParameterizedTest
    @CsvSource({"300, DEADLINE_EXHAUSTED", "10000, VECTOR_INDEX_UNAVAILABLE"})
    void anIndexThatTellsItselfThatTimeIsUpIsCalledWhatItIs(long deadlineMillis, DegradeReason reason) {
        for (int i = 0; i < VectorLeg.NEIGHBOURS; i++) {
            put("filler", 1, 0.001f * i, 0, 0);
        }
        UUID id = put("the observatory", 0, 1, 0, 0);
        FailureException late = new FailureException(FailureCode.DEADLINE_EXCEEDED, "scripted");
        index.failsToCompare = late;
        assertDegraded(
                await(recaller.recall(scope, request("observatory", RecallMode.HYBRID, deadlineMillis))), reason, id);
        index.fails = late;
        assertThat(await(recaller.recall(scope, request("observatory", RecallMode.HYBRID, deadlineMillis)))
                        .degraded())
                .isEqualTo(reason);
    }

    @Test
    void anIndexThatStallsIsLeftBehind() {
        UUID id = put("observatory", 1, 0, 0, 0);
        index.stalls = true;
        Future<RecallResponse> answer = recall("observatory", RecallMode.HYBRID);
        await(index.asked.future());
        clock.advanceMillis(VectorLeg.SEARCH_MILLIS);
        assertDegraded(await(answer), DegradeReason.VECTOR_INDEX_UNAVAILABLE, id);
    }

    @ParameterizedTest
    @CsvSource({"LEXICAL", "STRICT"})
    void askingForWordsIsNoDegradationAndAsksNoProvider(RecallMode mode) {
        UUID id = put("the observatory", 1, 0, 0, 0);
        RecallResponse response = await(recall("observatory", mode));
        assertThat(ids(response)).containsExactly(id);
        assertThat(response.degraded()).isNull();
        assertThat(response.served()).isEqualTo(mode);
        assertThat(response.vectorCoverage()).isNull();
        assertThat(response.timing().embedding()).isNull();
        assertThat(embedder.requests).isEmpty();
        assertThat(degraded()).isZero();
        assertThat(meters.get("recallgate.recall.leg.duration")
                        .tag("leg", "lexical")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(meters.get("recallgate.recall.leg.duration")
                        .tag("leg", "embedding")
                        .timer()
                        .count())
                .isZero();
    }

    private double degraded() {
        return meters.find("recallgate.recall.degraded").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void aBlankQuestionGetsTheNewestWithoutAskingTheProvider() {
        UUID older = put("one", 1, 0, 0, 0);
        UUID newer = put("two", 0, 1, 0, 0);
        RecallResponse response = await(recall(" ", RecallMode.HYBRID));
        assertThat(ids(response)).containsExactly(newer, older);
        assertThat(response.degraded()).isNull();
        assertThat(embedder.requests).isEmpty();
    }

    @Test
    void theNewestDoNotTakePartWhereTheQuestionHasNoWords() {
        UUID near = put("alpha", 1, 0, 0, 0);
        put("beta", 0, 1, 0, 0);
        RecallResponse response = await(recall("what did you", RecallMode.HYBRID));
        assertThat(ids(response)).startsWith(near);
        assertThat(response.hits().get(0).lexicalRank()).isNull();
    }

    @Test
    void theAuthorThatIsNamedWeighsMore() {
        UUID hers = authored("went hiking on sunday", "Melanie", 1, 0, 0, 0);
        UUID his = authored("went hiking on sunday too", "Tom", 1, 0.05f, 0, 0);
        RecallResponse response = await(recaller.recall(
                scope,
                new RecallRequest(
                        "Where did Melanie go?",
                        RecallMode.HYBRID,
                        10,
                        null,
                        Set.of(),
                        true,
                        Deadline.afterMillis(clock, 10_000),
                        new CancelSignal())));
        assertThat(ids(response)).containsExactly(hers, his);
        assertThat(hit(response, hers).signals()).containsKeys("lexical", "vector", "author");
        assertThat(hit(response, hers).signals().values().stream()
                        .mapToDouble(Double::doubleValue)
                        .sum())
                .isEqualTo(hit(response, hers).score());
        assertThat(hit(response, his).signals()).doesNotContainKey("author");
    }

    @Test
    void whatTheWordsFoundIsComparedByItsMeaningToo() {
        for (int i = 0; i < VectorLeg.NEIGHBOURS; i++) {
            put("filler", 1, 0.001f * i, 0, 0);
        }
        UUID nearer = put("the observatory", 0, 1, 0, 0);
        UUID farther = put("an observatory", -1, 1, 0, 0);
        RecallResponse response = await(recall("observatory", RecallMode.HYBRID));

        assertThat(index.compared).containsExactlyInAnyOrder(nearer, farther);
        assertThat(ids(response)).containsSubsequence(nearer, farther);
        assertThat(hit(response, nearer).vectorRank()).isNull();
    }

    @Test
    void anIndexThatFailsToCompareIsUnavailable() {
        for (int i = 0; i < VectorLeg.NEIGHBOURS; i++) {
            put("filler", 1, 0.001f * i, 0, 0);
        }
        UUID id = put("the observatory", 0, 1, 0, 0);
        index.failsToCompare = new FailureException(FailureCode.DATABASE_UNAVAILABLE, "scripted");
        assertDegraded(await(recall("observatory", RecallMode.HYBRID)), DegradeReason.VECTOR_INDEX_UNAVAILABLE, id);
    }

    @Test
    void namesOfKnownAuthorsAreNotEmbedded() {
        UUID hers = authored("went hiking on sunday", "Melanie", 1, 0, 0, 0);
        Await.until("the authors are known", () -> {
            await(recall("Where did Melanie go?", RecallMode.HYBRID));
            return embedder.lastText().equals("Where did go?");
        });
        RecallResponse response = await(recall("Where did Melanie go?", RecallMode.HYBRID));
        assertThat(ids(response)).containsExactly(hers);

        settings.set(ranked(new RankingSettings(FusionMethod.SCORE, Set.of())));
        // Another question: the vector of the first is still remembered.
        await(recall("When did Melanie go?", RecallMode.HYBRID));
        assertThat(embedder.lastText()).isEqualTo("When did Melanie go?");
    }

    @Test
    void fusionAndSignalsAreReadForEachCall() {
        UUID hers = authored("went hiking on sunday", "Melanie", 1, 0, 0, 0);
        RecallResponse scores = await(recall("Where did Melanie go hiking?", RecallMode.HYBRID));
        settings.set(ranked(new RankingSettings(FusionMethod.RRF, Set.of())));
        RecallResponse ranks = await(recall("Where did Melanie go hiking?", RecallMode.HYBRID));
        assertThat(hit(scores, hers).score()).isGreaterThan(1);
        assertThat(hit(ranks, hers).score()).isEqualTo(2.0 / 61);
    }

    @Test
    void aPinnedMemoryIsMarkedAndRankedLikeAnyOther() {
        UUID best = put("the observatory on the hill", 1, 0, 0, 0);
        UUID pinned = memories.insert(
                UUID.randomUUID(),
                scope,
                new MemoryDraft(
                        "an observatory and many other things beside it",
                        MemoryKind.NOTE,
                        null,
                        null,
                        null,
                        null,
                        true,
                        null,
                        new JsonObject()));
        memories.vector(scope, pinned, MODEL, 0, EmbeddingVector.of(0, 1, 0, 0));
        RecallResponse response = await(recall("observatory hill", RecallMode.HYBRID));
        assertThat(ids(response)).containsExactly(best, pinned);
        assertThat(response.hits().get(1).memory().draft().pinned()).isTrue();
    }

    @Test
    void aCallerWhoGivesUpIsAnsweredAtOnceAndNothingGoesOn() {
        put("observatory", 1, 0, 0, 0);
        embedder.stalls();
        CancelSignal signal = new CancelSignal();
        Future<RecallResponse> answer = recaller.recall(
                scope,
                new RecallRequest(
                        "observatory",
                        RecallMode.HYBRID,
                        10,
                        null,
                        Set.of(),
                        false,
                        Deadline.afterMillis(clock, 10_000),
                        signal));
        signal.cancel(CancelCause.DISCONNECTED);
        assertThatThrownBy(() -> await(answer)).satisfies(error -> assertCode(error, FailureCode.CANCELLED));
        assertThat(embedder.requests.get(0).cancel().cause()).isEqualTo(CancelCause.DISCONNECTED);
        assertThat(degraded()).isZero();
        assertThat(meters.get("recallgate.recall.failures")
                        .tag("code", "cancelled")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void whatIsCancelledOrLateBeforeItStartsAsksNobody() {
        CancelSignal signal = new CancelSignal();
        signal.cancel(CancelCause.CALLER);
        RecallRequest cancelled = new RecallRequest(
                "x", RecallMode.HYBRID, 10, null, Set.of(), false, Deadline.afterMillis(clock, 10_000), signal);
        assertThatThrownBy(() -> await(recaller.recall(scope, cancelled)))
                .satisfies(error -> assertCode(error, FailureCode.CANCELLED));
        assertThatThrownBy(() -> await(recaller.recall(scope, request("x", RecallMode.HYBRID, 0))))
                .satisfies(error -> assertCode(error, FailureCode.DEADLINE_EXCEEDED));
        assertThat(embedder.requests).isEmpty();
    }

    @Test
    void aDatabaseThatIsGoneIsAFailureAndNotAMiss() {
        Database closed = Database.open(vertx, server.options(), new VertxTimers(vertx));
        await(closed.close());
        RecallService broken = SearchServices.create(
                new SearchServices.Parts(closed, new LuceneAnalysis(), embedder, index),
                clock,
                clock,
                settings::get,
                meters);
        embedder.stalls();
        assertThatThrownBy(() -> await(broken.recall(scope, request("x", RecallMode.HYBRID, 10_000))))
                .satisfies(error -> assertCode(error, FailureCode.SHUTTING_DOWN));
        assertThat(embedder.requests.get(0).cancel().isCancelled()).isTrue();
    }

    @Test
    void aPinnedMemoryIsRankedLikeAnyOtherAndSaysThatItIsPinned() {
        UUID plain = put("observatory hours", 1, 0, 0, 0);
        UUID pinned = UUID.randomUUID();
        memories.insert(
                pinned,
                scope,
                new io.recallgate.recall.api.MemoryDraft(
                        "a rule about tea",
                        MemoryKind.NOTE,
                        null,
                        null,
                        null,
                        null,
                        true,
                        null,
                        new io.vertx.core.json.JsonObject()));
        memories.vector(scope, pinned, MODEL, 0, EmbeddingVector.of(0, 1, 0, 0));
        RecallResponse response = await(recall("observatory", RecallMode.HYBRID));
        assertThat(ids(response)).containsExactly(plain, pinned);
        assertThat(hit(response, pinned).memory().draft().pinned()).isTrue();
    }

    @Test
    void anotherOwnersMemoryIsNeverSeenInAnyLeg() {
        Scope other = new Scope("other-" + scope.owner(), "");
        UUID theirs = memories.turn(other, "observatory secrets");
        memories.vector(other, theirs, MODEL, 0, EmbeddingVector.of(1, 0, 0, 0));
        UUID mine = put("observatory", 0, 1, 0, 0);
        for (RecallMode mode : RecallMode.values()) {
            RecallResponse response = await(recall("observatory", mode));
            assertThat(ids(response)).as(mode.wireName()).containsExactly(mine);
        }
        assertThat(await(recall("observatory", RecallMode.HYBRID)).vectorCoverage())
                .isEqualTo(1.0);
    }

    private void assertDegraded(RecallResponse response, DegradeReason reason, UUID expected) {
        assertThat(response.degraded()).isEqualTo(reason);
        assertThat(response.requested()).isEqualTo(RecallMode.HYBRID);
        assertThat(response.served()).isEqualTo(RecallMode.LEXICAL);
        assertThat(ids(response)).containsExactly(expected);
        assertThat(degradations).containsExactly(reason);
        assertThat(meters.counter("recallgate.recall.degraded", "reason", reason.wireName())
                        .count())
                .isEqualTo(1);
    }

    private static void assertCode(Throwable error, FailureCode code) {
        assertThat(FailureException.of(error).code()).isEqualTo(code);
    }

    private static RecallSettings ranked(RankingSettings ranking) {
        return new RecallSettings(2_500, 60_000, 5, 1_000, 300_000, 1_000, 3_600_000, 1 << 20, ranking);
    }

    private UUID put(String content, float... vector) {
        UUID id = memories.turn(scope, content);
        memories.vector(scope, id, MODEL, 0, EmbeddingVector.of(vector).truncated(vector.length));
        return id;
    }

    private UUID authored(String content, String author, float... vector) {
        UUID id = memories.insert(UUID.randomUUID(), scope, draft(content, MemoryKind.TURN, null, author, null));
        memories.vector(scope, id, MODEL, 0, EmbeddingVector.of(vector).truncated(vector.length));
        return id;
    }

    private Future<RecallResponse> recall(String query, RecallMode mode) {
        return recaller.recall(scope, request(query, mode, 10_000));
    }

    private RecallRequest request(String query, RecallMode mode, long deadlineMillis) {
        return new RecallRequest(
                query,
                mode,
                10,
                null,
                Set.of(),
                false,
                Deadline.afterMillis(clock, deadlineMillis),
                new CancelSignal());
    }

    private static List<UUID> ids(RecallResponse response) {
        return response.hits().stream().map(hit -> hit.memory().id()).toList();
    }

    private static RecallHit hit(RecallResponse response, UUID id) {
        return response.hits().stream()
                .filter(hit -> hit.memory().id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** A real index that can be made to fail or stall. */
    private static final class SwitchableIndex implements VectorIndex {
        private volatile @Nullable VectorIndex target;
        private volatile @Nullable FailureException fails;
        private volatile @Nullable FailureException failsToCompare;
        private volatile boolean stalls;
        private final List<UUID> compared = new CopyOnWriteArrayList<>();
        private final Promise<Void> asked = Promise.promise();

        @Override
        public Future<List<VectorHit>> search(VectorQuery query, Deadline deadline, CancelSignal cancel) {
            asked.tryComplete();
            FailureException failure = fails;
            if (failure != null) {
                return Future.failedFuture(failure);
            }
            return stalls ? Promise.<List<VectorHit>>promise().future() : target().search(query, deadline);
        }

        @Override
        public Future<Map<UUID, Double>> similarities(
                VectorQuery query, Collection<UUID> memoryIds, Deadline deadline, CancelSignal cancel) {
            compared.addAll(memoryIds);
            FailureException failure = failsToCompare;
            return failure != null
                    ? Future.failedFuture(failure)
                    : target().similarities(query, memoryIds, deadline, cancel);
        }

        @Override
        public Future<Void> replace(SqlConnection transaction, List<StoredVector> vectors) {
            return target().replace(transaction, vectors);
        }

        @Override
        public Future<Void> remove(SqlConnection transaction, Scope scope, List<UUID> memoryIds) {
            return target().remove(transaction, scope, memoryIds);
        }

        @Override
        public void committed(Scope scope) {
            target().committed(scope);
        }

        @Override
        public Future<Void> close() {
            return target().close();
        }

        private VectorIndex target() {
            VectorIndex now = target;
            if (now == null) {
                throw new IllegalStateException("no index yet");
            }
            return now;
        }
    }
}
