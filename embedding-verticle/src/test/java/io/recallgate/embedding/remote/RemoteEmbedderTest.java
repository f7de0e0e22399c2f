package io.recallgate.embedding.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.WrittenLog;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.bus.EmbeddingClient;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RemoteEmbedderTest extends RemoteProviderTest {

    @Test
    void c2AHealthyProviderIsAskedOnceAndAnswersWithUnitVectors() {
        EmbedResult result = join(query("where is the observatory"));

        assertThat(provider.asked).hasSize(1);
        ScriptedProvider.Asked asked = provider.asked.get(0);
        assertThat(asked.texts()).containsExactly("query: where is the observatory");
        assertThat(asked.authorization()).isEqualTo("Bearer sk-secret");
        assertThat(asked.body().getString("model")).isEqualTo("scripted-model");
        assertThat(asked.body().getInteger("dimensions")).isEqualTo(DIMENSIONS);
        EmbeddingVector vector = result.vectors().get(0);
        assertThat(vector.dimensions()).isEqualTo(DIMENSIONS);
        assertThat(vector.dot(vector)).isCloseTo(1, org.assertj.core.data.Offset.offset(1e-5));
        assertThat(result.tokenCounts()).containsExactly(7);
        assertThat(result.model()).isEqualTo(join(remote.embedder().model()));
        assertThat(counted("recallgate.embedding.requests", "outcome", "ok")).isEqualTo(1);
    }

    @Test
    void theProviderIsToldTheTraceOfTheCallerAndOfNobodyElse() throws Exception {
        CallContext call = CallContext.of("r-1", TraceContext.fresh());

        join(CallContext.within(call, () -> query("traced")));
        join(query("not traced"));
        join(CallContext.within(call, () -> new EmbeddingClient(vertx())
                .embed(request(Priority.QUERY, 10_000, new CancelSignal(), "over the bus"))));

        assertThat(provider.asked.get(0).traceparent())
                .contains(call.trace().traceId())
                .doesNotContain(call.trace().spanId());
        assertThat(provider.asked.get(1).traceparent()).isNull();
        assertThat(provider.asked.get(2).traceparent())
                .contains(call.trace().traceId())
                .doesNotContain(call.trace().spanId());
    }

    @Test
    void c1AProviderThatStallsIsReachedAndCostsTheQueryItsLimitAndNoMore() {
        provider.stalls();
        Future<EmbedResult> answer = query("stalled");
        eventually(() -> provider.count() == 1);
        clock.advanceMillis(2_499);
        assertThat(status().getJsonObject("connections").getInteger("queries")).isEqualTo(1);
        assertThat(answer.isComplete()).isFalse();
        clock.advanceMillis(1);
        assertThat(failure(answer).code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        eventually(() -> provider.disconnects() == 1);
    }

    @Test
    void aBodyThatBeginsAndDoesNotEndIsAStallToo() {
        provider.answersHalf();
        assertThat(stalledQuery("half").code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        eventually(() -> provider.disconnects() == 1);
    }

    @Test
    void c4EachWayToFailHasItsCodeAndIsSentOnlyOnceAndSaysNothingOfTheText() {
        List<FailureException> failures = new ArrayList<>();
        provider.fails(500, "server_error", "cannot embed 'secret text' with sk-secret");
        failures.add(failure(query("secret text")));
        provider.fails(401, "invalid_api_key", "wrong key sk-secret");
        failures.add(failure(query("secret text")));
        provider.fails(429, "rate_limit_exceeded", "secret text");
        failures.add(failure(query("secret text")));
        provider.answersWithDimensions(5);
        failures.add(failure(query("secret text")));
        provider.answersWithCountOff(1);
        failures.add(failure(query("secret text")));
        provider.answersWithCountOff(-1);
        failures.add(failure(query("secret text")));
        provider.says("secret text");
        failures.add(failure(query("secret text")));
        provider.dropsMidBody();
        failures.add(failure(query("secret text")));
        provider.answersWithPadding(200_000);
        failures.add(failure(query("secret text")));

        assertThat(provider.count()).as("no hidden retry").isEqualTo(failures.size());
        provider.refuses();
        // That a connection of before is closed may be found out only by the request that goes over it.
        eventually(() -> {
            FailureException failure = failure(query("secret text"));
            boolean refused = failure.code() == FailureCode.EMBEDDING_UNAVAILABLE;
            if (refused) {
                failures.add(failure);
            }
            return refused;
        });

        assertThat(failures)
                .extracting(FailureException::code)
                .containsExactly(
                        FailureCode.EMBEDDING_FAILED,
                        FailureCode.EMBEDDING_FAILED,
                        FailureCode.OVERLOADED,
                        FailureCode.DIMENSION_MISMATCH,
                        FailureCode.EMBEDDING_FAILED,
                        FailureCode.EMBEDDING_FAILED,
                        FailureCode.EMBEDDING_FAILED,
                        FailureCode.EMBEDDING_FAILED,
                        FailureCode.EMBEDDING_FAILED,
                        FailureCode.EMBEDDING_UNAVAILABLE);
        assertThat(failures)
                .extracting(FailureException::detail)
                .doesNotHaveDuplicates()
                .allSatisfy(detail ->
                        assertThat(detail).doesNotContain("secret text").doesNotContain("sk-"));
        assertThat(failures.get(0).detail()).contains("500 (server_error)");
        assertThat(failures.get(2).retryAfter()).isEqualTo(Duration.ofSeconds(7));
        assertThat(breaker()).as("none of them cost a wait").isEqualTo(BreakerState.CLOSED);
        assertThat(status().getString("last_trouble")).isEqualTo("embedding-unavailable");
        assertThat(counted("recallgate.embedding.attempts", "kind", "query", "outcome", "embedding-unavailable"))
                .isEqualTo(1);
    }

    @Test
    void c10ThreeStallsAndTheNextQueryDoesNotWaitAtAllAndOneLineSaysSo() {
        try (WrittenLog log = WrittenLog.of(RemoteDriver.class)) {
            openBreaker();
            FailureException refused = failure(query("fourth"));
            assertThat(refused.code()).isEqualTo(FailureCode.EMBEDDING_CIRCUIT_OPEN);
            assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(5));
            assertThat(log.warnings()).hasSize(1);
        }
        assertThat(provider.count()).isEqualTo(3);
        JsonObject shown = status().getJsonObject("breaker");
        assertThat(shown.getString("state")).isEqualTo("open");
        assertThat(shown.getLong("retry_in_ms")).isEqualTo(5_000);
        clock.advanceMillis(1_200);
        shown = status().getJsonObject("breaker");
        assertThat(shown.getLong("state_age_ms")).isEqualTo(1_200);
        assertThat(shown.getLong("retry_in_ms")).isEqualTo(3_800);
    }

    @Test
    void impatientCallersDoNotOpenItForOthers() {
        provider.stalls();
        for (int i = 0; i < 5; i++) {
            int before = provider.count();
            Future<EmbedResult> answer = query("impatient", 400, new CancelSignal());
            eventually(() -> provider.count() == before + 1);
            clock.advanceMillis(400);
            assertThat(failure(answer).code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
            CancelSignal gone = new CancelSignal();
            Future<EmbedResult> left = query("left", 2_500, gone);
            eventually(() -> provider.count() == before + 2);
            clock.advanceMillis(2_000);
            gone.cancel(CancelCause.DISCONNECTED);
            assertThat(failure(left).code()).isEqualTo(FailureCode.CANCELLED);
        }
        assertThat(breaker()).isEqualTo(BreakerState.CLOSED);
        assertThat(latest().expiries()).isZero();
    }

    @Test
    void whicheverClockFiresCountsIfTheProviderHadASecond() {
        provider.stalls();
        for (int i = 0; i < 3; i++) {
            int before = provider.count();
            CancelSignal signal = new CancelSignal();
            // A deadline beyond: somebody else's clock ends this wait, and says that it was one.
            Future<EmbedResult> answer = query("waits", 60_000, signal);
            eventually(() -> provider.count() == before + 1);
            clock.advanceMillis(1_000);
            signal.cancel(CancelCause.DEADLINE);
            assertThat(failure(answer).code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        }
        eventually(() -> breaker() == BreakerState.OPEN);
    }

    @Test
    void c9AfterARecoveryVectorsAreBackWithinOneBackOffAndOneProbeGoesAhead() {
        openBreaker();
        provider.answers();
        clock.advanceMillis(4_999);
        assertThat(failure(query("too early")).code()).isEqualTo(FailureCode.EMBEDDING_CIRCUIT_OPEN);
        clock.advanceMillis(1);
        provider.stalls();
        Future<EmbedResult> probe = query("probe");
        eventually(() -> provider.count() == 4);
        List<Future<EmbedResult>> others =
                IntStream.range(0, 5).mapToObj(i -> query("other " + i)).toList();
        others.forEach(other -> assertThat(failure(other).code()).isEqualTo(FailureCode.EMBEDDING_CIRCUIT_OPEN));
        assertThat(provider.count()).as("exactly one probe").isEqualTo(4);
        provider.answers();
        provider.release();
        assertThat(join(probe).vectors()).hasSize(1);
        assertThat(join(query("after")).vectors()).hasSize(1);
        assertThat(breaker()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void theProbesOwnBoundIsNotTheQuerysSoASlowProviderIsLetBack() {
        openBreaker();
        clock.advanceMillis(5_000);
        Future<EmbedResult> probe = query("probe");
        eventually(() -> provider.count() == 4);
        clock.advanceMillis(2_500);
        assertThat(failure(probe).code())
                .as("its caller waits no longer than others")
                .isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        assertThat(breaker()).isEqualTo(BreakerState.HALF_OPEN);
        clock.advanceMillis(10_000);
        provider.answers();
        provider.release();
        eventually(() -> breaker() == BreakerState.CLOSED);
        assertThat(join(query("after")).vectors()).hasSize(1);
    }

    @Test
    void aProbeThatNeverEndsIsEndedByItsOwnBound() {
        openBreaker();
        clock.advanceMillis(5_000);
        Future<EmbedResult> probe = query("probe");
        eventually(() -> provider.count() == 4);
        clock.advanceMillis(30_000);
        assertThat(failure(probe).code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        eventually(() -> breaker() == BreakerState.OPEN);
        assertThat(latest().retryNanos()).isEqualTo(Duration.ofSeconds(10).toNanos());
    }

    @Test
    void c10TwoDifferentQueriesAtOnceBothGetTheirOwnVectors() {
        provider.stalls();
        Future<EmbedResult> one = query("alpha beta");
        Future<EmbedResult> other = query("gamma delta epsilon");
        eventually(() -> provider.count() == 2);
        provider.release();
        assertThat(join(one).vectors().get(0))
                .isNotEqualTo(join(other).vectors().get(0));
    }

    @Test
    void aServerThatGoesOnAloneKeepsItsConnectionTakenUntilItIsDone() {
        deploy(thatGoesOnAlone());
        provider.stalls();
        assertThat(stalledQuery("left behind").code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        JsonObject connections = status().getJsonObject("connections");
        assertThat(connections.getInteger("queries")).isEqualTo(1);
        assertThat(connections.getInteger("abandoned")).isEqualTo(1);
        assertThat(provider.disconnects()).isZero();
        provider.release();
        eventually(() -> latest().abandoned() == 0);
        assertThat(status().getJsonObject("connections").getInteger("queries")).isZero();
        assertThat(counted("recallgate.embedding.attempts", "kind", "query", "outcome", "late"))
                .isEqualTo(1);
    }

    @Test
    void whatWasLeftBehindIsLetGoAtTheBatchBudget() {
        deploy(thatGoesOnAlone());
        provider.stalls();
        stalledQuery("left behind");
        assertThat(latest().abandoned()).isEqualTo(1);
        clock.advanceMillis(57_500);
        eventually(() -> latest().abandoned() == 0);
        eventually(() -> provider.disconnects() == 1);
    }

    @Test
    void aPlaceThatIsTakenByWhatWasLeftBehindMakesTheNextDegradeOnItsOwnDeadlineAndBlamesNobody() {
        RemoteOptions few = with(bounds(options().bounds(), 32, 2, 16));
        deploy(new RemoteOptions(thatGoesOnAlone().server(), few.model(), few.bounds(), few.breaker()));
        provider.stalls();
        CancelSignal gone = new CancelSignal();
        Future<EmbedResult> first = query("first", 2_500, gone);
        eventually(() -> provider.count() == 1);
        gone.cancel(CancelCause.CALLER);
        failure(first);
        Future<EmbedResult> second = query("second");
        eventually(
                () -> status().getJsonObject("queue").getJsonObject("queries").getInteger("depth") == 1);
        clock.advanceMillis(2_500);
        assertThat(failure(second).code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        assertThat(provider.count()).isEqualTo(1);
        assertThat(latest().expiries()).as("the provider never had it").isZero();
    }

    @Test
    void a3WhoeverHasGivenUpBeforeStartsNothing() {
        CancelSignal fired = new CancelSignal();
        fired.cancel(CancelCause.CALLER);
        assertThat(failure(query("x", 2_500, fired)).code()).isEqualTo(FailureCode.CANCELLED);
        assertThat(failure(query("x", 0, new CancelSignal())).code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        assertThat(provider.count()).isZero();
    }

    @Test
    void theWaitingLineIsBoundedAndSaysSo() {
        deploy(with(bounds(options().bounds(), 32, 2, 4)));
        provider.stalls();
        List<Future<EmbedResult>> documents =
                IntStream.range(0, 4).mapToObj(i -> document("d" + i)).toList();
        assertThat(failure(documents.get(3)).code()).isEqualTo(FailureCode.OVERLOADED);
        Future<EmbedResult> query = query("a query finds the room that documents may not use");
        eventually(() -> provider.count() == 2);
        assertThat(failure(query("full")).code()).isEqualTo(FailureCode.OVERLOADED);
        EmbedRequest huge = request(Priority.QUERY, 2_500, new CancelSignal(), "x".repeat(9 << 20));
        assertThat(failure(remote.embedder().embed(huge)).code()).isEqualTo(FailureCode.WORK_TOO_LARGE);
        provider.answers();
        provider.release();
        join(query);
        documents.subList(0, 3).forEach(RemoteProviderTest::join);
        assertThat(latest().operations()).isZero();
        assertThat(latest().bytes()).isZero();
    }

    @Test
    void dimensionsThatAreNotConfiguredAreLearntFromTheFirstAnswerAndHeldToAfterwards() {
        deploy(with(OptionalInt.empty()));
        assertThat(status().getValue("model")).isNull();
        assertThat(join(remote.embedder().model()).dimensions()).isEqualTo(DIMENSIONS);
        assertThat(provider.asked.get(0).texts()).containsExactly("passage: " + RemoteEmbedder.FIRST_TEXT);
        assertThat(provider.asked.get(0).body().containsKey("dimensions")).isFalse();
        provider.answersWithDimensions(3);
        assertThat(failure(query("other")).code()).isEqualTo(FailureCode.DIMENSION_MISMATCH);
    }

    @Test
    void aProviderThatIsDownAtTheStartIsAskedForItsModelAgainAfterABackOff() {
        deploy(with(OptionalInt.empty()));
        provider.refuses();
        assertThat(failure(remote.embedder().model()).code()).isEqualTo(FailureCode.EMBEDDING_UNAVAILABLE);
        provider.recovers();
        assertThat(failure(remote.embedder().model()).code()).isEqualTo(FailureCode.EMBEDDING_UNAVAILABLE);
        assertThat(provider.count()).as("not asked again at once").isZero();
        clock.advanceMillis(5_000);
        assertThat(join(remote.embedder().model()).dimensions()).isEqualTo(DIMENSIONS);
    }

    @Test
    void theBusServesItWithTheSameOutcomes() {
        EmbeddingClient bus = new EmbeddingClient(vertx());
        assertThat(join(bus.embed(request(Priority.QUERY, 10_000, new CancelSignal(), "over the bus")))
                        .vectors())
                .hasSize(1);
        assertThat(join(bus.model())).isEqualTo(join(remote.embedder().model()));
        provider.answersWithDimensions(5);
        assertThat(failure(bus.embed(request(Priority.QUERY, 10_000, new CancelSignal(), "again")))
                        .code())
                .isEqualTo(FailureCode.DIMENSION_MISMATCH);
        assertThat(join(bus.status()).getString("provider")).isEqualTo("openai");
    }

    @Test
    void a19AStopAnswersWhoeverWaits() {
        provider.stalls();
        Future<EmbedResult> answer = query("waits");
        eventually(() -> provider.count() == 1);
        deploy(options());
        assertThat(failure(answer).code()).isEqualTo(FailureCode.SHUTTING_DOWN);
    }
}
