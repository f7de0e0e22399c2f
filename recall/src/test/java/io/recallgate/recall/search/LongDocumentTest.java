package io.recallgate.recall.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.embedding.EmbeddingVerticle;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.recall.Await;
import io.recallgate.recall.SimpleWords;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.jobs.ActiveModel;
import io.recallgate.recall.jobs.JobOptions;
import io.recallgate.recall.jobs.JobRunner;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.store.MemoryStore;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.recall.vector.VectorIndex.VectorHit;
import io.recallgate.recall.vector.VectorIndex.VectorQuery;
import io.recallgate.recall.vector.VectorIndexes;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** CONTRACTS C15a with the real model: what a long document says past the model's window is found by meaning. */
class LongDocumentTest {

    private static final Scope SCOPE = new Scope("owner", "");
    private static final String FACT = "My sister adopted a grey kitten that sleeps on the piano.";

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestDatabase server = TestDatabase.embedded();
    private final Database database = Database.open(vertx, server.options(), new VertxTimers(vertx));
    private final ReadWorkers workers = new ReadWorkers(vertx, 1, 64);
    private final EmbeddingVerticle pool = new EmbeddingVerticle(
            EmbeddingOptions.defaults(RealModel.NAME, RealModel.dataDirectory(), 1)
                    .withoutPublicAddresses(),
            meters);
    private ModelIdentity model;
    private VectorIndex index;
    private MemoryStore store;
    private JobRunner runner;

    @BeforeEach
    void start() throws Exception {
        vertx.deployVerticle(pool).await(60, TimeUnit.SECONDS);
        model = pool.ready().await(60, TimeUnit.SECONDS);
        index = Await.result(VectorIndexes.open(database, SystemClock.INSTANCE, workers, () -> 1L << 24, meters));
        ActiveModel active = new ActiveModel(pool.embedder());
        store = new MemoryStore(
                database,
                new SimpleWords(),
                index,
                vertx.createSharedWorkerExecutor("test-long", 1),
                new MemoryStore.Config(SystemClock.INSTANCE, DatabaseTime.SERVER, active::fingerprint));
        runner = JobRunner.create(
                vertx,
                new JobRunner.Stores(database, index),
                pool.embedder(),
                active,
                new JobRunner.Parts(
                        SystemClock.INSTANCE,
                        new VertxTimers(vertx),
                        DatabaseTime.SERVER,
                        () -> RecallSettings.DEFAULTS,
                        new Random(1),
                        meters),
                JobOptions.defaults("long"));
        runner.start();
    }

    @AfterEach
    void stop() throws Exception {
        Await.result(runner.stop(soon()));
        Await.result(index.close());
        Await.result(workers.close());
        Await.result(database.close());
        vertx.close().await(60, TimeUnit.SECONDS);
        server.close();
    }

    @Test
    void aFactPastTheWindowIsFoundByMeaning() throws Exception {
        UUID document = remember(filler(120) + FACT + " " + filler(10));
        for (int i = 0; i < 10; i++) {
            remember(filler(8));
        }
        runner.wake();
        Await.until(
                "all are embedded", () -> server.queryText("select count(*) from embedding_job where state = 'done'")
                        .equals("11"));
        assertThat(server.queryText("select count(*) from memory_vector where memory_id = '" + document + "'"))
                .as("passages of some five windows")
                .isIn("4", "5", "6", "7", "8");
        assertThat(server.queryText("select count(*) from memory_vector where incomplete"))
                .isEqualTo("0");

        List<VectorHit> hits = Await.result(index.search(
                new VectorQuery(
                        SCOPE, model.fingerprint(), question("Which pet lives with my sister?"), 10, null, Set.of()),
                soon()));

        assertThat(hits.get(0).memoryId()).isEqualTo(document);
        assertThat(hits.stream().map(VectorHit::memoryId)).doesNotHaveDuplicates();
    }

    private UUID remember(String text) {
        MemoryDraft draft =
                new MemoryDraft(text, MemoryKind.DOCUMENT, null, null, null, null, false, null, new JsonObject());
        return Await.result(store.remember(SCOPE, List.of(draft), soon()))
                .get(0)
                .id();
    }

    private EmbeddingVector question(String text) throws Exception {
        return pool.embedder()
                .embed(new EmbedRequest(
                        "question",
                        List.of(new EmbedInput.Text(text)),
                        InputType.QUERY,
                        Priority.QUERY,
                        soon(),
                        new CancelSignal()))
                .await(60, TimeUnit.SECONDS)
                .vectors()
                .get(0);
    }

    /** Sentences about nothing that is asked for, none like another. */
    private static String filler(int sentences) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < sentences; i++) {
            parts.add("The committee moved item " + (i * 37 % 101)
                    + " of the budget to the next quarter, because the invoices were late. ");
        }
        return String.join("", parts);
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 120_000);
    }
}
