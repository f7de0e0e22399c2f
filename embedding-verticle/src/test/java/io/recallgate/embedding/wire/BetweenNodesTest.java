package io.recallgate.embedding.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.bus.FailureReply;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages and failures between two nodes of Vert.x's own clustered event bus, over TCP. */
@Timeout(240)
class BetweenNodesTest {

    private final List<Vertx> nodes = new ArrayList<>();
    private Vertx here;
    private Vertx there;

    @BeforeEach
    void open() {
        Nodes membership = new Nodes();
        here = node(membership);
        there = node(membership);
    }

    private Vertx node(Nodes membership) {
        VertxOptions options = new VertxOptions().setEventBusOptions(new EventBusOptions().setHost("127.0.0.1"));
        Vertx vertx = get(Vertx.builder()
                .with(options)
                .withClusterManager(membership.node())
                .buildClustered());
        nodes.add(vertx);
        return vertx;
    }

    @AfterEach
    void close() {
        nodes.forEach(vertx -> get(vertx.close()));
    }

    @Test
    void everyMessageArrivesAsItWasSentAndIsAnotherObject() throws Exception {
        WorkerCodec.register(here);
        WorkerCodec.register(there);
        BlockingQueue<Object> arrived = new ArrayBlockingQueue<>(100);
        get(there.eventBus()
                .consumer("somewhere", message -> arrived.add(message.body()))
                .completion());

        for (Object message : Samples.all()) {
            here.eventBus()
                    .send(
                            "somewhere",
                            message,
                            new DeliveryOptions()
                                    .setCodecName(WorkerCodec.NAME)
                                    .addHeader("a header", "stands before the body"));

            assertThat(arrived.poll(60, TimeUnit.SECONDS)).isEqualTo(message).isNotSameAs(message);
        }
    }

    @Test
    void aMessageToAWorkerOfThisProcessStaysHereAndIsTheSameObject() throws Exception {
        WorkerCodec.register(here);
        BlockingQueue<Object> arrived = new ArrayBlockingQueue<>(100);
        get(here.eventBus()
                .localConsumer("worker", message -> arrived.add(message.body()))
                .completion());

        for (Object message : Samples.all()) {
            here.eventBus().send("worker", message, WorkerCodec.options());

            assertThat(arrived.poll(60, TimeUnit.SECONDS)).isSameAs(message);
        }
    }

    @Test
    void aFailureKeepsItsNumberItsFieldAndItsRetryHint() {
        get(there.eventBus()
                .<JsonObject>consumer("failing", message -> {
                    FailureCode code = FailureCode.ofNumber(message.body().getInteger("number"))
                            .orElseThrow();
                    FailureReply.send(
                            message,
                            FailureException.ofField(code, "texts[3]", "what to do about it")
                                    .retryAfter(Duration.ofMillis(1_500)));
                })
                .completion());

        for (FailureCode code : FailureCode.values()) {
            Future<?> answer = here.eventBus()
                    .request("failing", new JsonObject().put("number", code.number()))
                    .recover(error ->
                            Future.failedFuture(FailureReply.decode(error, FailureCode.EMBEDDING_UNAVAILABLE)));

            assertThatThrownBy(() -> get(answer))
                    .hasCauseInstanceOf(FailureException.class)
                    .cause()
                    .satisfies(error -> {
                        FailureException failure = FailureException.of(error);
                        assertThat(failure.code()).isEqualTo(code);
                        assertThat(failure.field()).isEqualTo("texts[3]");
                        assertThat(failure.detail()).isEqualTo("what to do about it");
                        assertThat(failure.retryAfter()).isEqualTo(Duration.ofMillis(1_500));
                    });
        }
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }
}
