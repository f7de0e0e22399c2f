package io.recallgate.recall.search;

import static io.recallgate.recall.MemoryFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.recall.vector.ExactVectorIndex;
import io.recallgate.recall.vector.ReadWorkers;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long recall takes in process, without HTTP and without a real model, among 5,000 memories of one owner. */
@Tag("long")
class RecallSpeedTest {

    private static final int MEMORIES = 5_000;
    private static final int ROUNDS = 400;
    private static final ModelIdentity MODEL = new ModelIdentity("random", "5eed", 384, 512);

    private final Random random = new Random(1);
    private final Scope scope = new Scope("owner", "");

    @Test
    @SuppressWarnings("SystemOut") // the figures are what this test is for
    void recallAmongFiveThousandMemoriesIsAMatterOfMilliseconds() {
        Vertx vertx = Vertx.vertx();
        try (TestDatabase server = TestDatabase.embedded();
                MemoryFixture memories = new MemoryFixture(server)) {
            Database database = Database.open(vertx, server.options(), new VertxTimers(vertx));
            ReadWorkers workers = new ReadWorkers(vertx, 2, 64);
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            ExactVectorIndex index =
                    new ExactVectorIndex(database, SystemClock.INSTANCE, workers, () -> 128L << 20, meters);
            for (int i = 0; i < MEMORIES; i++) {
                UUID id = memories.turn(scope, text(20));
                memories.vector(scope, id, MODEL.fingerprint(), 0, vector());
            }
            server.execute("analyze");
            RecallService recaller = SearchServices.create(
                    new SearchServices.Parts(database, new LuceneAnalysis(), new RandomEmbedder(), index),
                    SystemClock.INSTANCE,
                    new VertxTimers(vertx),
                    () -> RecallSettings.DEFAULTS,
                    meters);
            for (RecallMode mode : List.of(RecallMode.LEXICAL, RecallMode.STRICT, RecallMode.HYBRID)) {
                measure(recaller, mode, 200);
                long[] nanos = measure(recaller, mode, ROUNDS);
                System.out.printf(
                        Locale.ROOT,
                        "%s: p50=%.2f ms p95=%.2f ms p99=%.2f ms%n",
                        mode.wireName(),
                        nanos[ROUNDS / 2] / 1e6,
                        nanos[ROUNDS * 95 / 100] / 1e6,
                        nanos[ROUNDS * 99 / 100] / 1e6);
                // Far above the goal: a busy machine must not fail the build, a lost index must.
                assertThat(nanos[ROUNDS / 2]).isLessThan(150_000_000L);
            }
            await(index.close());
            await(workers.close());
            await(database.close());
        } finally {
            await(vertx.close());
        }
    }

    private long[] measure(RecallService recaller, RecallMode mode, int rounds) {
        long[] nanos = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            RecallRequest request = new RecallRequest(
                    text(5),
                    mode,
                    10,
                    null,
                    Set.of(),
                    false,
                    Deadline.afterMillis(SystemClock.INSTANCE, 10_000),
                    new CancelSignal());
            long start = SystemClock.INSTANCE.nanoTime();
            RecallResponse response = await(recaller.recall(scope, request));
            nanos[i] = SystemClock.INSTANCE.nanoTime() - start;
            assertThat(response.degraded()).isNull();
        }
        Arrays.sort(nanos);
        return nanos;
    }

    /** Words whose frequencies fall like those of a language: a few in every tenth text, most in hardly any. */
    private String text(int words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words; i++) {
            int rank = (int) Math.exp(2.5 + random.nextDouble() * 7.5);
            text.append("zq");
            // Letters only: between letters and digits the analysis would split.
            for (int rest = rank; rest > 0; rest /= 20) {
                text.append((char) ('a' + rest % 20));
            }
            text.append(' ');
        }
        return text.toString().strip();
    }

    private EmbeddingVector vector() {
        float[] values = new float[MODEL.dimensions()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return EmbeddingVector.of(values).truncated(values.length);
    }

    private final class RandomEmbedder implements Embedder {
        @Override
        public Future<EmbedResult> embed(EmbedRequest request) {
            return Future.succeededFuture(
                    new EmbedResult(MODEL, List.of(vector()), List.of(5), List.of(), EmbedResult.Timing.NONE));
        }

        @Override
        public Future<ModelIdentity> model() {
            return Future.succeededFuture(MODEL);
        }
    }
}
