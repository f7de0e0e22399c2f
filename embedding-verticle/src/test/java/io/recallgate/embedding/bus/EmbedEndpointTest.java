package io.recallgate.embedding.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The public addresses before an embedder that answers when the test says so. */
@Timeout(120)
class EmbedEndpointTest {

    private final FakeClock clock = new FakeClock();
    private final Scripted embedder = new Scripted();
    private Vertx vertx;
    private volatile boolean outOfMemory;

    /** Read while a request is decoded. */
    private final class FailingClock implements Clock {
        @Override
        public long nanoTime() {
            if (outOfMemory) {
                throw new OutOfMemoryError("scripted");
            }
            return clock.nanoTime();
        }

        @Override
        public Instant instant() {
            return clock.instant();
        }
    }

    @BeforeEach
    void register() {
        vertx = Vertx.vertx();
        Promise<Void> registered = Promise.promise();
        vertx.runOnContext(ignored -> new EmbedEndpoint(vertx, embedder, new NoWorkers(), new FailingClock())
                .register()
                .onComplete(registered));
        get(registered.future());
    }

    @AfterEach
    void close() {
        get(vertx.close());
    }

    @Test
    void whatIsNotGivenHasTheDocumentedDefault() {
        embed(body("plain"));
        embed(body("query").put("input_type", "query"));
        embed(body("mixed")
                .put("input_type", "query")
                .put("priority", "document")
                .put("deadline_ms", 3_600_000));

        List<EmbedRequest> requests = awaitRequests(3);
        assertThat(requests.get(0).inputType()).isEqualTo(InputType.DOCUMENT);
        assertThat(requests.get(0).priority()).isEqualTo(Priority.DOCUMENT);
        assertThat(requests.get(0).deadline().remainingMillis()).isEqualTo(30_000);
        assertThat(requests.get(1).priority()).isEqualTo(Priority.QUERY);
        assertThat(requests.get(2).priority()).isEqualTo(Priority.DOCUMENT);
        assertThat(requests.get(2).deadline().remainingMillis()).isEqualTo(3_600_000);
    }

    @Test
    void aDeadlineOutOfRangeIsRefusedAndNothingIsSubmitted() {
        List<Object> bad = List.of(-1, 0, Long.MIN_VALUE, 3_600_001, Long.MAX_VALUE, 1.5, "100", true);
        for (Object deadline : bad) {
            JsonObject failure = failure(embed(body("x").put("deadline_ms", deadline)), FailureCode.INVALID_FIELD);
            assertThat(failure.getString("field")).isEqualTo("deadline_ms");
            assertThat(failure.getString("detail")).contains("1 to 3600000");
        }
        assertThat(embedder.requests()).isEmpty();
    }

    @Test
    void anErrorOfTheVirtualMachineIsAnsweredAndTheIdIsFreeAgain() {
        outOfMemory = true;
        failure(embed(body("same")), FailureCode.INTERNAL);
        outOfMemory = false;

        embed(body("same"));

        awaitRequests(1);
    }

    @Test
    void anUnknownFieldIsNamedOnEveryAddress() {
        assertThat(failure(embed(body("x").put("dead_line", 1)), FailureCode.UNKNOWN_FIELD)
                        .getString("field"))
                .isEqualTo("dead_line");
        assertThat(failure(
                                send(
                                        "recallgate.embed.cancel",
                                        new JsonObject().put("id", "x").put("why", "")),
                                FailureCode.UNKNOWN_FIELD)
                        .getString("field"))
                .isEqualTo("why");
        assertThat(failure(send("recallgate.status", new JsonObject().put("slot", 0)), FailureCode.UNKNOWN_FIELD)
                        .getString("field"))
                .isEqualTo("slot");
    }

    @Test
    void anIdThatIsBeingServedIsAConflictAndItsFirstRequestGoesOn() {
        Future<JsonObject> first = embed(body("same"));
        awaitRequests(1);

        JsonObject refused = failure(embed(body("same")), FailureCode.CONFLICT);
        Future<JsonObject> others = embed(body("same"), "another-client");
        awaitRequests(2);
        embedder.answerAll();

        assertThat(refused.getString("field")).isEqualTo("id");
        assertThat(get(first).getString("id")).isEqualTo("same");
        get(others);
        Future<JsonObject> again = embed(body("same"));
        awaitRequests(3);
        embedder.answerAll();
        get(again);
    }

    @Test
    void anIdIsFreeAgainAtItsCancellation() {
        embedder.holdCancellations();
        Future<JsonObject> first = embed(body("same"));
        awaitRequests(1);
        Future<JsonObject> cancelled = cancel("same");
        Future<JsonObject> second = embed(body("same"));
        awaitRequests(2);
        embedder.releaseCancellations();

        assertThat(get(cancelled).getString("outcome")).isEqualTo("running");
        failure(first, FailureCode.CANCELLED);
        embedder.answerAll();
        get(second);
    }

    @Test
    void aCancellationThatOvertakesItsRequestCountsOnceAndForItsClientAlone() {
        assertThat(get(cancel("early")).getString("outcome")).isEqualTo("unknown");

        Future<JsonObject> others = embed(body("early"), "another-client");
        awaitRequests(1);
        JsonObject failure = failure(embed(body("early")), FailureCode.CANCELLED);
        Future<JsonObject> second = embed(body("early"));
        awaitRequests(2);
        embedder.answerAll();

        assertThat(failure.getString("detail")).contains("before the request arrived");
        get(others);
        get(second);
    }

    @Test
    void aCancellationLongBeforeARequestMeansAnotherOne() {
        get(cancel("later"));
        clock.advance(Duration.ofSeconds(10));

        Future<JsonObject> later = embed(body("later"));
        awaitRequests(1);
        embedder.answerAll();

        get(later);
    }

    @Test
    void aCancellationAfterTheAnswerFindsItSettledAndDoesNotMeetTheNextRequest() {
        Future<JsonObject> first = embed(body("x"));
        awaitRequests(1);
        embedder.answerAll();
        get(first);

        assertThat(get(cancel("x")).getString("outcome")).isEqualTo("settled");
        Future<JsonObject> second = embed(body("x"));
        awaitRequests(2);
        embedder.answerAll();
        get(second);
    }

    @Test
    void aRequestThatIsStillBeingReadIsCancelledAndNeverWanted() {
        JsonObject large = body("large").put("texts", new JsonArray().add("x".repeat(512 * 1024)));
        // No worker is free to read it before it is cancelled.
        CountDownLatch reading = new CountDownLatch(1);
        for (int i = 0; i < VertxOptions.DEFAULT_WORKER_POOL_SIZE; i++) {
            var unused = vertx.executeBlocking(() -> reading.await(60, TimeUnit.SECONDS), false);
        }
        Promise<JsonObject> outcome = Promise.promise();
        Promise<JsonObject> answer = Promise.promise();
        vertx.runOnContext(ignored -> {
            embed(large).onComplete(answer);
            cancel("large").onComplete(outcome);
        });

        assertThat(get(outcome.future()).getString("outcome")).isEqualTo("cancelled");
        reading.countDown();
        failure(answer.future(), FailureCode.CANCELLED);
        assertThat(embedder.requests())
                .allSatisfy(
                        request -> assertThat(request.cancel().isCancelled()).isTrue());
    }

    @Test
    void aRowThatHasNoEmbeddingIsRefusedByName() {
        JsonObject text =
                failure(embed(body("x").put("texts", new JsonArray().add("a").add(""))), FailureCode.INVALID_FIELD);
        assertThat(text.getString("field")).isEqualTo("texts[1]");
        JsonObject tokens = body("y").put("tokens", new JsonArray().add(new JsonArray()));
        tokens.remove("texts");

        assertThat(failure(embed(tokens), FailureCode.INVALID_FIELD).getString("field"))
                .isEqualTo("tokens[0]");
        assertThat(embedder.requests()).isEmpty();
    }

    @Test
    void aTokenIdIsAWholeNumberWhateverItsJavaType() {
        JsonObject body = body("x")
                .put("tokens", new JsonArray().add(new JsonArray().add(5L).add(6)));
        body.remove("texts");

        embed(body);

        assertThat(awaitRequests(1).get(0).inputs()).containsExactly(new EmbedInput.Tokens(new int[] {5, 6}));
        JsonObject beyond = body("y").put("tokens", new JsonArray().add(new JsonArray().add(1L << 32)));
        beyond.remove("texts");
        assertThat(failure(embed(beyond), FailureCode.INVALID_FIELD).getString("field"))
                .isEqualTo("tokens[0][0]");
    }

    @Test
    void whatTheEmbedderSaysAboutAnInputNamesTheFieldOfTheMessage() {
        JsonObject tokens = body("x")
                .put("tokens", new JsonArray().add(new JsonArray().add(1).add(900)));
        tokens.remove("texts");
        for (JsonObject body : List.of(tokens, body("y"))) {
            Future<JsonObject> answer = embed(body);
            awaitRequests(1);
            embedder.failAll(FailureException.ofField(FailureCode.INVALID_FIELD, "input[0][1]", "scripted"));

            JsonObject failure = failure(answer, FailureCode.INVALID_FIELD);
            assertThat(failure.getString("field"))
                    .isEqualTo(body.containsKey("tokens") ? "tokens[0][1]" : "texts[0][1]");
            assertThat(failure.getString("detail")).isEqualTo("scripted");
        }
    }

    @Test
    void aWorkerReadsItsOwnAnswer() {
        Vertx other = Vertx.vertx();
        other.eventBus().registerCodec(new AsItIs());
        JsonObject encoded = EmbedMessages.encode("x", Scripted.RESULT);
        AtomicReference<String> reader = new AtomicReference<>();
        JsonObject answer = new JsonObject(encoded.getMap()) {
            @Override
            public JsonArray getJsonArray(String key) {
                reader.set(Thread.currentThread().getName());
                return super.getJsonArray(key);
            }
        };
        get(other.eventBus()
                .consumer(
                        EmbedMessages.EMBED,
                        message -> message.reply(answer, new DeliveryOptions().setCodecName(AsItIs.NAME)))
                .completion());
        EmbeddingClient client = new EmbeddingClient(other);
        Promise<EmbedResult> answered = Promise.promise();
        get(other.deployVerticle(
                new VerticleBase() {
                    @Override
                    public Future<?> start() {
                        client.embed(fromAWorker()).onComplete(answered);
                        return Future.succeededFuture();
                    }
                },
                new DeploymentOptions()
                        .setThreadingModel(ThreadingModel.WORKER)
                        .setWorkerPoolName("reader")
                        .setWorkerPoolSize(1)));

        assertThat(get(answered.future()).vectors()).hasSize(1);
        get(other.close());
        assertThat(reader.get())
                .as("megabytes of vectors would hold an event loop up")
                .startsWith("reader-");
    }

    @Test
    void aCallerOnAWorkerThatIsGoneIsAnsweredAllTheSame() {
        EmbeddingClient client = new EmbeddingClient(vertx);
        Promise<EmbedResult> answered = Promise.promise();
        Promise<Context> home = Promise.promise();
        String deployment = get(vertx.deployVerticle(
                new VerticleBase() {
                    @Override
                    public Future<?> start() {
                        home.complete(context);
                        client.embed(fromAWorker()).onComplete(answered);
                        return Future.succeededFuture();
                    }
                },
                new DeploymentOptions()
                        .setThreadingModel(ThreadingModel.WORKER)
                        .setWorkerPoolName("short-lived")
                        .setWorkerPoolSize(1)));
        awaitRequests(1);
        get(vertx.undeploy(deployment));
        assertThatThrownBy(() -> get(home.future()).runOnContext(ignored -> {}))
                .as("nothing runs there any more")
                .isInstanceOf(RejectedExecutionException.class);

        embedder.answerAll();

        assertThat(get(answered.future()).vectors()).hasSize(1);
    }

    @Test
    void everyFailureHasANumberAndATypedBodyThatCarriesItsHint() {
        for (FailureCode code : FailureCode.values()) {
            FailureException thrown = FailureException.ofField(code, "texts[3]", "what to do about it")
                    .retryAfter(Duration.ofMillis(1_500));
            Future<JsonObject> answer = embed(body("x"));
            awaitRequests(1);
            embedder.failAll(thrown);

            JsonObject body = failure(answer, code);

            assertThat(body.getMap())
                    .containsOnlyKeys("code", "detail", "field", "retry_after_ms")
                    .containsEntry("retry_after_ms", 1_500);
        }
    }

    private static JsonObject body(String id) {
        return new JsonObject().put("id", id).put("texts", new JsonArray().add("a"));
    }

    private EmbedRequest fromAWorker() {
        return new EmbedRequest(
                "from a worker",
                List.of(new EmbedInput.Text("a")),
                InputType.DOCUMENT,
                Priority.DOCUMENT,
                Deadline.afterMillis(clock, 60_000),
                new CancelSignal());
    }

    private Future<JsonObject> embed(JsonObject body) {
        return send("recallgate.embed", body);
    }

    private Future<JsonObject> embed(JsonObject body, String client) {
        return vertx.eventBus()
                .<JsonObject>request(
                        "recallgate.embed", body, new DeliveryOptions().addHeader("recallgate-client", client))
                .map(message -> message.body());
    }

    private Future<JsonObject> cancel(String id) {
        return send("recallgate.embed.cancel", new JsonObject().put("id", id));
    }

    private Future<JsonObject> send(String address, JsonObject body) {
        return vertx.eventBus().<JsonObject>request(address, body).map(message -> message.body());
    }

    private List<EmbedRequest> awaitRequests(int count) {
        while (embedder.requests().size() < count) {
            if (Thread.interrupted()) {
                throw new IllegalStateException("only " + embedder.requests().size() + " requests came");
            }
            Thread.onSpinWait();
        }
        return embedder.requests();
    }

    private static JsonObject failure(Future<?> future, FailureCode code) {
        try {
            throw new AssertionError("answered: "
                    + future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            // Exactly: what a subclass adds would be lost between nodes.
            if (!(e.getCause() instanceof ReplyException reply) || reply.getClass() != ReplyException.class) {
                throw new AssertionError("no plain reply", e.getCause());
            }
            assertThat(reply.failureCode()).isEqualTo(code.number());
            JsonObject body = new JsonObject(reply.getMessage());
            assertThat(body.getString("code")).isEqualTo(code.code());
            return body;
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Answers when it is told to. */
    private static final class Scripted implements CancellableEmbedder {

        private static final EmbedResult RESULT = new EmbedResult(
                new ModelIdentity("scripted", "f".repeat(64), 1, 8),
                List.of(EmbeddingVector.of(1)),
                List.of(3),
                List.of(),
                EmbedResult.Timing.NONE);

        private final List<EmbedRequest> requests = new ArrayList<>();
        private final List<Promise<EmbedResult>> open = new ArrayList<>();
        private final Promise<Void> cancellations = Promise.promise();
        private boolean held;

        @Override
        public synchronized Future<EmbedResult> embed(EmbedRequest request) {
            Promise<EmbedResult> promise = Promise.promise();
            open.add(promise);
            requests.add(request);
            request.cancel()
                    .onCancel(cause ->
                            promise.tryFail(new FailureException(FailureCode.CANCELLED, "the caller cancelled")));
            return promise.future();
        }

        @Override
        public synchronized Future<CancelOutcome> cancel(CancelSignal signal) {
            Future<Void> when = held ? cancellations.future() : Future.succeededFuture();
            return when.map(done -> {
                signal.cancel(CancelCause.CALLER);
                return CancelOutcome.RUNNING;
            });
        }

        @Override
        public Future<ModelIdentity> model() {
            return Future.succeededFuture(RESULT.model());
        }

        synchronized List<EmbedRequest> requests() {
            return List.copyOf(requests);
        }

        synchronized void holdCancellations() {
            held = true;
        }

        void releaseCancellations() {
            cancellations.complete();
        }

        void answerAll() {
            take().forEach(promise -> promise.tryComplete(RESULT));
        }

        void failAll(FailureException failure) {
            take().forEach(promise -> promise.tryFail(failure));
            synchronized (this) {
                requests.clear();
            }
        }

        private synchronized List<Promise<EmbedResult>> take() {
            List<Promise<EmbedResult>> taken = List.copyOf(open);
            open.clear();
            return taken;
        }
    }

    /** Delivers the very object. */
    private static final class AsItIs implements MessageCodec<JsonObject, JsonObject> {

        static final String NAME = "as-it-is";

        @Override
        public void encodeToWire(Buffer buffer, JsonObject body) {
            throw new UnsupportedOperationException("within one process");
        }

        @Override
        public JsonObject decodeFromWire(int position, Buffer buffer) {
            throw new UnsupportedOperationException("within one process");
        }

        @Override
        public JsonObject transform(JsonObject body) {
            return body;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public byte systemCodecID() {
            return -1;
        }
    }

    private static final class NoWorkers implements WorkerOperations {
        @Override
        public Future<JsonObject> status() {
            return Future.succeededFuture(new JsonObject());
        }

        @Override
        public Future<JsonObject> restart(int slot) {
            return status();
        }

        @Override
        public Future<JsonObject> replaceModel(String model) {
            return status();
        }
    }
}
