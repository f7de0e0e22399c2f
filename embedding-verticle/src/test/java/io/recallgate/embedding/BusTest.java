package io.recallgate.embedding;

import static io.recallgate.embedding.EmbeddingVerticleTest.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.bus.CancelOutcome;
import io.recallgate.embedding.bus.EmbeddingClient;
import io.recallgate.failure.FailureCode;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BusTest extends PoolTest {

    @Test
    void aMessageIsAnsweredAsDocumented() {
        deploy(1);

        JsonObject reply = ask(new JsonObject()
                .put("id", "one")
                .put("texts", new JsonArray().add("hello"))
                .put("input_type", "query")
                .put("priority", "query")
                .put("deadline_ms", 60_000));

        assertThat(reply.getString("id")).isEqualTo("one");
        assertThat(reply.getString("model")).isEqualTo("scripted");
        assertThat(reply.getInteger("dimensions")).isEqualTo(4);
        assertThat(Base64.getDecoder().decode(reply.getJsonArray("vectors").getString(0)))
                .isEqualTo(ScriptedModels.vectorOf("hello").toLittleEndian());
        assertThat(reply.getJsonArray("truncated")).isEmpty();
        assertThat(reply.getJsonObject("timing_ms").getDouble("inference")).isNotNegative();
    }

    @Test
    void theClientGivesWhatThePoolGives() {
        deploy(1);
        EmbeddingClient client = new EmbeddingClient(vertx);
        String longText = "x".repeat(600);

        EmbedResult over = join(client.embed(request(new CancelSignal(), "hello", longText)));
        EmbedResult direct = join(embed("hello", longText));

        assertThat(over.vectors()).isEqualTo(direct.vectors());
        assertThat(over.truncated()).containsExactly(1);
        assertThat(over.tokenCounts()).isEqualTo(direct.tokenCounts());
        assertThat(over.model()).isEqualTo(direct.model()).isEqualTo(join(client.model()));
    }

    @Test
    void aLargeRequestIsReadAndAnsweredWhole() {
        deploy(1);
        String[] texts = new String[1_000];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = "text " + i + "x".repeat(500);
        }

        EmbedResult result = join(new EmbeddingClient(vertx).embed(request(new CancelSignal(), texts)));

        assertThat(result.vectors()).hasSize(1_000);
        assertThat(result.vectors().get(999)).isEqualTo(ScriptedModels.vectorOf(texts[999]));
    }

    /** CONTRACTS A1 over the bus. */
    @Test
    void aCancelledMessageBehindABlockedOneNeverRuns() {
        deploy(1);
        EmbeddingClient client = new EmbeddingClient(vertx);
        ScriptedModels.Block block = models.block("first");
        Future<EmbedResult> first = client.embed(request(new CancelSignal(), "first"));
        block.awaitEntered();
        CancelSignal cancel = new CancelSignal();
        Future<EmbedResult> second = client.embed(request(cancel, "second"));
        awaitStatus(status -> status.getJsonObject("queue").getInteger("waiters") == 2);

        cancel.cancel(CancelCause.CALLER);

        assertFails(second, FailureCode.CANCELLED);
        awaitStatus(status -> status.getJsonObject("queue").getInteger("waiters") == 1);
        block.release();
        join(first);
        join(client.embed(request(new CancelSignal(), "third")));
        assertThat(models.ran()).containsExactly("first", "third");
        assertThat(generations(status())).containsExactly(1);
    }

    @Test
    void aCancellationTellsWhatItFoundInTheScopeOfItsClient() {
        deploy(1);
        EmbeddingClient client = new EmbeddingClient(vertx);
        ScriptedModels.Block block = models.blockForGood("running");
        EmbedRequest running = request(new CancelSignal(), "running");
        EmbedRequest queued = request(new CancelSignal(), "queued");
        Future<EmbedResult> first = client.embed(running);
        block.awaitEntered();
        awaitStatus(status -> states(status).allMatch("running"::equals));
        Future<EmbedResult> second = client.embed(queued);
        awaitStatus(status -> status.getJsonObject("queue").getInteger("waiters") == 2);

        assertThat(join(new EmbeddingClient(vertx).cancel(queued.id()))).isEqualTo(CancelOutcome.UNKNOWN);
        assertThat(join(client.cancel(queued.id()))).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(join(client.cancel(running.id()))).isEqualTo(CancelOutcome.RUNNING);
        assertFails(first, FailureCode.CANCELLED);
        assertFails(second, FailureCode.CANCELLED);
        assertThat(join(client.cancel(running.id()))).isEqualTo(CancelOutcome.SETTLED);
        block.release();
    }

    @Test
    void aClientsDeadlineHoldsAlsoWhenThePoolIsBlocked() {
        deploy(1);
        ScriptedModels.Block block = models.blockForGood("blocked");
        Future<EmbedResult> blocked = embed("blocked");
        block.awaitEntered();
        EmbedRequest hurried = new EmbedRequest(
                "hurried",
                List.of(new EmbedInput.Text("hurried")),
                InputType.QUERY,
                Priority.QUERY,
                Deadline.afterMillis(SystemClock.INSTANCE, 50),
                new CancelSignal());

        assertFails(new EmbeddingClient(vertx).embed(hurried), FailureCode.DEADLINE_EXCEEDED);
        // The client may have given up by a clock of its own, before the pool.
        awaitStatus(status -> status.getJsonObject("queue").getInteger("waiters") == 1);

        block.release();
        join(blocked);
        awaitStatus(status -> states(status).allMatch("idle"::equals));
        assertThat(models.ran()).containsExactly("blocked");
    }

    @Test
    void aClientWhoseContextIsGoneIsAnsweredAtItsCancellationAndThePoolIsTold() {
        deploy(1);
        ScriptedModels.Block block = models.block("held");
        CancelSignal cancel = new CancelSignal();
        List<Future<EmbedResult>> asked = new CopyOnWriteArrayList<>();
        String worker = join(vertx.deployVerticle(
                new VerticleBase() {
                    @Override
                    public Future<?> start() {
                        asked.add(new EmbeddingClient(vertx).embed(request(cancel, "held")));
                        return Future.succeededFuture();
                    }
                },
                new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER).setWorkerPoolName("gone-soon")));
        block.awaitEntered();
        join(vertx.undeploy(worker));

        cancel.cancel(CancelCause.CALLER);

        assertFails(asked.get(0), FailureCode.CANCELLED);
        awaitStatus(status -> status.getJsonObject("queue").getInteger("waiters") == 0);
        block.release();
    }

    @Test
    void withoutAPoolTheClientSaysUnavailable() {
        assertFails(
                new EmbeddingClient(vertx).embed(request(new CancelSignal(), "x")), FailureCode.EMBEDDING_UNAVAILABLE);
    }

    @Test
    void badMessagesAreRefusedWithTheStableNumberAndNameTheField() {
        deploy(1);
        JsonArray one = new JsonArray().add("a");

        refuse("text", FailureCode.INVALID_JSON, null);
        refuse(new JsonObject().put("texts", one), FailureCode.INVALID_FIELD, "id");
        refuse(new JsonObject().put("id", ""), FailureCode.INVALID_FIELD, "id");
        refuse(good().put("colour", "red"), FailureCode.UNKNOWN_FIELD, "colour");
        refuse(new JsonObject().put("id", "x"), FailureCode.INVALID_FIELD, "texts");
        refuse(good().put("tokens", new JsonArray()), FailureCode.INVALID_FIELD, "texts");
        refuse(good().put("texts", new JsonArray()), FailureCode.INVALID_FIELD, "texts");
        refuse(good().put("texts", new JsonArray().add("a").add(1)), FailureCode.INVALID_FIELD, "texts[1]");
        refuse(good().put("texts", new JsonArray().add("a\0")), FailureCode.INVALID_TEXT, "texts[0]");
        refuse(good().put("texts", new JsonArray().add("\ud83d")), FailureCode.INVALID_TEXT, "texts[0]");
        refuse(good().put("input_type", "passage"), FailureCode.INVALID_FIELD, "input_type");
        refuse(good().put("priority", 1), FailureCode.INVALID_FIELD, "priority");
        refuse(good().put("deadline_ms", 0), FailureCode.INVALID_FIELD, "deadline_ms");
        refuse(good().put("deadline_ms", "5"), FailureCode.INVALID_FIELD, "deadline_ms");
        assertThat(ask(good().put("texts", new JsonArray().add("\ud83d\ude00"))).getJsonArray("vectors"))
                .hasSize(1);
    }

    @Test
    void aFailureTravelsWithItsNumberAndItsTypedBody() {
        deploy(1);
        join(pool.shutdown(Deadline.afterMillis(SystemClock.INSTANCE, 5_000)));

        assertThatThrownBy(() -> ask(good())).isInstanceOfSatisfying(ReplyException.class, reply -> {
            assertThat(reply.failureCode()).isEqualTo(FailureCode.SHUTTING_DOWN.number());
            assertThat(new JsonObject(reply.getMessage()).getString("code")).isEqualTo("shutting-down");
        });
    }

    @Test
    void theStatusAddressShowsTheWorkers() {
        deploy(2);

        JsonObject status = join(new EmbeddingClient(vertx).status());

        assertThat(states(status)).containsExactly("idle", "idle");
        assertThat(status.getJsonObject("memory_gate").getLong("charged_bytes")).isEqualTo(2 << 20);
        assertThat(status.getJsonArray("slots").getJsonObject(0).fieldNames())
                .contains("slot", "state", "generation", "since", "operation", "model", "charged_bytes", "retry_debt");
    }

    @Test
    void anApplicationsOwnCodecsAreLeftAlone() {
        vertx.eventBus().registerDefaultCodec(EmbedInput.Text.class, new OwnCodec());
        deploy(1);

        EmbeddingVerticle second = new EmbeddingVerticle(
                EmbeddingOptions.defaults("scripted", Path.of("unused"), 1).withoutPublicAddresses(),
                new SimpleMeterRegistry(),
                models,
                SystemClock.INSTANCE);
        join(vertx.deployVerticle(second));

        assertThat(join(embed("still works")).vectors()).hasSize(1);
    }

    private static JsonObject good() {
        return new JsonObject().put("id", "x").put("texts", new JsonArray().add("a"));
    }

    private JsonObject ask(Object body) {
        return join(vertx.eventBus().<JsonObject>request("recallgate.embed", body))
                .body();
    }

    private void refuse(Object body, FailureCode code, @Nullable String field) {
        assertThatThrownBy(() -> ask(body)).isInstanceOfSatisfying(ReplyException.class, reply -> {
            assertThat(reply.failureCode()).isEqualTo(code.number());
            JsonObject typed = new JsonObject(reply.getMessage());
            assertThat(typed.getString("code")).isEqualTo(code.code());
            assertThat(typed.getString("field")).isEqualTo(field);
            assertThat(typed.getString("detail")).isNotEmpty();
        });
    }

    private static final class OwnCodec implements MessageCodec<EmbedInput.Text, EmbedInput.Text> {
        @Override
        public void encodeToWire(Buffer buffer, EmbedInput.Text text) {
            throw new UnsupportedOperationException();
        }

        @Override
        public EmbedInput.Text decodeFromWire(int position, Buffer buffer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public EmbedInput.Text transform(EmbedInput.Text text) {
            return text;
        }

        @Override
        public String name() {
            return "application";
        }

        @Override
        public byte systemCodecID() {
            return -1;
        }
    }
}
