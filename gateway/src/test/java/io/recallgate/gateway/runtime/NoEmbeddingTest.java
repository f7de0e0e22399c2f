package io.recallgate.gateway.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.bus.CancelOutcome;
import io.recallgate.embedding.bus.EmbeddingClient;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Without a provider the addresses of the pool say so. */
@Timeout(30)
class NoEmbeddingTest {

    private final Vertx vertx = Vertx.vertx();
    private final NoEmbedding embedding = new NoEmbedding(vertx, SystemClock.INSTANCE);
    private final EmbeddingClient client = new EmbeddingClient(vertx);

    @BeforeEach
    void start() throws Exception {
        await(embedding.start());
    }

    @AfterEach
    void close() throws Exception {
        await(vertx.close());
    }

    @Test
    void aRequestIsToldWhyNobodyEmbeds() {
        EmbedRequest request = new EmbedRequest(
                "1",
                List.of(new EmbedInput.Text("x")),
                InputType.QUERY,
                Priority.QUERY,
                Deadline.afterMillis(SystemClock.INSTANCE, 10_000),
                new CancelSignal());

        assertThatThrownBy(() -> await(client.embed(request)))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.NO_EMBEDDING_PROVIDER));
    }

    @Test
    void thereIsNoModelToReplace() {
        assertThatThrownBy(() -> await(embedding.workers().replaceModel("e5-small-v2-q")))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.NO_EMBEDDING_PROVIDER));
    }

    @Test
    void aRequestThatIsWrongIsStillToldThat() {
        assertThatThrownBy(() -> await(vertx.eventBus()
                        .request(
                                "recallgate.embed",
                                new JsonObject().put("id", "1").put("texts", new JsonArray()))))
                .isInstanceOfSatisfying(ReplyException.class, failure -> assertThat(failure.failureCode())
                        .isEqualTo(FailureCode.INVALID_FIELD.number()));
    }

    @Test
    void theStatusNamesTheProviderAndACancellationFindsNothing() throws Exception {
        assertThat(await(client.status()))
                .isEqualTo(new JsonObject().put("provider", "none").put("slots", new JsonArray()));
        assertThat(await(client.cancel("1"))).isEqualTo(CancelOutcome.UNKNOWN);
    }

    @Test
    void afterAStopNobodyAnswersAndAnotherStopIsFine() throws Exception {
        await(embedding.stop());
        await(embedding.stop());

        assertThatThrownBy(() -> await(vertx.eventBus().request("recallgate.status", new JsonObject())))
                .isInstanceOfSatisfying(ReplyException.class, failure -> assertThat(failure.failureType())
                        .isEqualTo(ReplyFailure.NO_HANDLERS));
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.await(10, TimeUnit.SECONDS);
    }
}
