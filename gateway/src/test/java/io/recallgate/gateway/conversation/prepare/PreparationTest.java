package io.recallgate.gateway.conversation.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.ScriptedConversations;
import io.recallgate.gateway.conversation.fit.ContextWindows;
import io.recallgate.gateway.conversation.turn.MemoryUse;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import io.recallgate.gateway.conversation.turn.ResponseTap;
import io.recallgate.gateway.conversation.turn.TurnRequest;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.RecallHit;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A preparation with scripted memory, and requests to give it. */
abstract class PreparationTest {

    static final String ANSWER = "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":\"In Kyoto.\"}}]}";

    static Vertx vertx;
    static ReadWorkers readers;

    final FakeClock clock = new FakeClock();
    final ScriptedConversations conversations = new ScriptedConversations();
    final List<RecallRequest> recalled = new CopyOnWriteArrayList<>();
    volatile Function<RecallRequest, Future<RecallResponse>> recall = request -> Future.succeededFuture(found(request));
    volatile PreparationOptions options = PreparationOptions.DEFAULTS;

    private FallbackWorkers fallbacks;
    private MemoryPreparation preparation;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        readers = new ReadWorkers(vertx, 2, 128);
    }

    @AfterAll
    static void close() throws TimeoutException {
        readers.close();
        vertx.close().await(20, TimeUnit.SECONDS);
    }

    @BeforeEach
    void make() {
        fallbacks = new FallbackWorkers(vertx, clock);
        preparation = fresh();
    }

    /** From now on, by a node that has served nobody yet, with the same memory. */
    void onAnotherNode() {
        preparation = fresh();
    }

    private MemoryPreparation fresh() {
        return new MemoryPreparation(
                new MemoryPreparation.Parts(
                        vertx,
                        (scope, request) -> {
                            recalled.add(request);
                            return recall.apply(request);
                        },
                        conversations,
                        new JsonWorkers(readers, clock),
                        fallbacks,
                        clock,
                        clock),
                () -> options);
    }

    @AfterEach
    void noTimerIsLeft() {
        await(fallbacks.close());
        assertThat(clock.pending()).isZero();
    }

    /** A request that may be sent. */
    static final class Ask {
        Protocol protocol = Protocol.OPENAI;

        @Nullable
        String session = "s1";

        MemoryUse memory = MemoryUse.FULL;
        final CancelSignal cancel = new CancelSignal();
        final String body;

        Ask(String body) {
            this.body = body;
        }

        Ask reading() {
            memory = MemoryUse.READ;
            return this;
        }

        Ask in(@Nullable String name) {
            session = name;
            return this;
        }

        Ask anthropic() {
            protocol = Protocol.ANTHROPIC;
            return this;
        }
    }

    /** Begins to prepare. */
    Future<PreparedTurn> begin(Ask ask) {
        Deadline lifetime = Deadline.afterMillis(clock, 900_000);
        return preparation.prepare(
                new TurnRequest(
                        ask.protocol,
                        Scope.LOCAL,
                        ask.session,
                        ask.memory,
                        new RequestBody(Buffer.buffer(ask.body).getBytes()),
                        lifetime,
                        ask.cancel),
                new PhaseRun(clock, lifetime));
    }

    PreparedTurn prepare(Ask ask) {
        return await(begin(ask));
    }

    /** A whole turn that goes well; what was sent of it. */
    String turn(Ask ask) {
        PreparedTurn turn = prepare(ask);
        await(answered(turn, ANSWER));
        return sent(turn);
    }

    /** What was remembered last. */
    List<MemoryDraft> lastDrafts() {
        return conversations.accepted.get(conversations.accepted.size() - 1).drafts();
    }

    static Future<Void> answered(PreparedTurn turn, String answer) {
        ResponseTap tap = turn.tap(200, "application/json");
        tap.chunk(Buffer.buffer(answer));
        tap.end();
        return turn.commit();
    }

    static String sent(PreparedTurn turn) {
        Buffer all = Buffer.buffer();
        turn.body().forEach(all::appendBuffer);
        return all.toString();
    }

    static <T> T await(Future<T> future) {
        try {
            return future.await(20, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("not within 20 s", e);
        }
    }

    static FailureCode failure(Future<?> future) {
        until("it fails", future::isComplete);
        assertThat(future.failed()).isTrue();
        return FailureException.of(future.cause()).code();
    }

    /** Waits for what another thread does. */
    static void until(String what, BooleanSupplier condition) {
        try {
            Eventually.holds(what, 20, condition);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** From now on no fall-back begins, until the latch is counted down. */
    static CountDownLatch holdFallbacks() {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(2);
        // The same threads, by their name.
        WorkerExecutor threads = vertx.createSharedWorkerExecutor("recallgate-fallback", 2);
        for (int i = 0; i < 2; i++) {
            threads.executeBlocking(
                    () -> {
                        held.countDown();
                        return busy.await(60, TimeUnit.SECONDS);
                    },
                    false);
        }
        until("they are held", () -> held.getCount() == 0);
        return busy;
    }

    /** Waits until the budget is running, and lets it run out. */
    void runOut() {
        until("the budget runs", () -> clock.pending() > 0);
        clock.advanceMillis(options.budgetMillis());
    }

    /** A window of so many tokens for the model {@code m}. */
    void window(int tokens) {
        options = new PreparationOptions(1_500, 8, 20, 8_000, ContextWindows.of("m=" + tokens));
    }

    static String question(String text) {
        return "{\"model\":\"m\", \"messages\": [" + user(text) + "]}";
    }

    static String request(String... messages) {
        return "{\"model\":\"m\", \"messages\": [" + String.join(", ", messages) + "]}";
    }

    static String user(String text) {
        return new JsonObject().put("role", "user").put("content", text).encode();
    }

    static String assistant(String text) {
        return new JsonObject().put("role", "assistant").put("content", text).encode();
    }

    static RecallResponse found(RecallRequest request, RecallHit... hits) {
        return new RecallResponse(
                UUID.randomUUID(),
                request.mode(),
                request.mode(),
                null,
                1.0,
                List.of(hits),
                new RecallResponse.Timing(1, 1.0, 1.0, 1.0, 1.0));
    }

    static RecallHit hit(Memory memory, double score) {
        return new RecallHit(memory, score, 1, 1, Map.of(), Map.of());
    }

    static Memory memory(String content) {
        return memory(content, null, null);
    }

    static Memory memory(String content, @Nullable String session, @Nullable String externalId) {
        MemoryDraft draft = new MemoryDraft(
                content,
                MemoryKind.NOTE,
                null,
                "Jonas",
                session,
                Instant.parse("2026-05-08T00:00:00Z"),
                false,
                externalId,
                new JsonObject());
        return new Memory(
                UUID.nameUUIDFromBytes(content.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                draft,
                MemoryState.EMBEDDED,
                1,
                false,
                Integer.toHexString(content.hashCode()),
                1,
                Instant.EPOCH,
                Instant.EPOCH);
    }
}
