package io.recallgate.embedding;

import static io.recallgate.embedding.PoolTest.generations;
import static io.recallgate.embedding.PoolTest.join;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.bus.EmbeddingClient;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.failure.FailureCode;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pool with two workers of the real model. */
@Timeout(120)
class RealPoolTest {

    private static final String TEXT = "The retrospective moved to Thursday because Ana is travelling.";

    private static Vertx vertx;
    private static EmbeddingVerticle pool;
    private static int ids;

    @BeforeAll
    static void deploy() {
        vertx = Vertx.vertx();
        pool = new EmbeddingVerticle(
                EmbeddingOptions.defaults(RealModel.NAME, RealModel.dataDirectory(), 2), new SimpleMeterRegistry());
        join(vertx.deployVerticle(pool));
        join(pool.ready());
    }

    @AfterAll
    static void close() {
        assertThat(join(pool.shutdown(Deadline.afterMillis(SystemClock.INSTANCE, 20_000)))
                        .isClean())
                .isTrue();
        join(vertx.close());
    }

    /** CONTRACTS A25. */
    @Test
    void theSameTextHasTheSameVectorAloneInCompanyAndUnderFiftyConcurrentCallers() {
        EmbeddingVector alone = embed(TEXT).vectors().get(0);
        List<Future<EmbedResult>> crowd = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            String[] company = {"Something about number " + i + ", said at length. ".repeat(1 + i % 7), TEXT, "x" + i};
            crowd.add(pool.embedder().embed(request(new CancelSignal(), company)));
        }

        for (Future<EmbedResult> one : crowd) {
            assertThat(join(one).vectors().get(1).dot(alone)).isGreaterThanOrEqualTo(0.9999);
        }
    }

    @Test
    void aLongTextIsLabelledAsTruncatedAndItsNeighboursAreNot() {
        EmbedResult result = embed("short", "word ".repeat(2_000), "also short");

        assertThat(result.truncated()).containsExactly(1);
        assertThat(result.tokenCounts().get(1)).isEqualTo(512);
        assertThat(result.totalTokens()).isGreaterThan(512);
    }

    @Test
    void cancelledRunsChangeNoGenerationAndLaterVectorsAreExact() {
        EmbeddingVector before = embed(TEXT).vectors().get(0);
        List<Future<EmbedResult>> given = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            CancelSignal cancel = new CancelSignal();
            // Other words each time: the result of a run that was left may be kept, and would answer at once.
            String text = "word" + i + " ";
            given.add(pool.embedder()
                    .embed(request(
                            cancel,
                            Stream.generate(() -> text.repeat(400)).limit(4).toArray(String[]::new))));
            if (i % 3 == 0) {
                embed("in between " + i);
            }
            cancel.cancel(CancelCause.DISCONNECTED);
        }
        given.forEach(one -> EmbeddingVerticleTest.assertFails(one, FailureCode.CANCELLED));

        assertThat(embed(TEXT).vectors().get(0)).isEqualTo(before);
        assertThat(generations(join(pool.operations().status()))).containsExactly(1, 1);
    }

    @Test
    void overTheBusTheVectorsAreTheSameBytes() {
        EmbedRequest request = request(new CancelSignal(), TEXT, "また明日");

        assertThat(join(new EmbeddingClient(vertx).embed(request)).vectors())
                .isEqualTo(embed(TEXT, "また明日").vectors());
    }

    private static EmbedResult embed(String... texts) {
        return join(pool.embedder().embed(request(new CancelSignal(), texts)));
    }

    private static EmbedRequest request(CancelSignal cancel, String... texts) {
        return new EmbedRequest(
                "real-" + ids++,
                Stream.of(texts).<EmbedInput>map(EmbedInput.Text::new).toList(),
                InputType.DOCUMENT,
                Priority.DOCUMENT,
                Deadline.afterMillis(SystemClock.INSTANCE, 60_000),
                cancel);
    }
}
