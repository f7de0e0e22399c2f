package io.recallgate.recall.search;

import static io.recallgate.recall.MemoryFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.recall.log.RecallRecord;
import io.recallgate.recall.read.ReadLimits;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.vector.ExactVectorIndex;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What bounds a recall and what is written down of it, with a real database, real threads and a scripted provider. */
class RecallBoundsTest {

    private static final String MODEL = ScriptedEmbedder.MODEL.fingerprint();

    private static TestDatabase server;
    private static Vertx vertx;
    private static Database database;
    private static MemoryFixture memories;

    private final Scope scope = new Scope("owner-" + UUID.randomUUID(), "");
    private final ScriptedEmbedder embedder = new ScriptedEmbedder();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<RecallRecord> log = new CopyOnWriteArrayList<>();
    private ReadWorkers workers;
    private RecallService recaller;

    @BeforeAll
    static void open() {
        server = TestDatabase.embedded();
        vertx = Vertx.vertx();
        database = Database.open(vertx, server.options(), new VertxTimers(vertx));
        memories = new MemoryFixture(server);
    }

    @AfterAll
    static void close() {
        Await.result(database.close());
        Await.result(vertx.close());
        memories.close();
        server.close();
    }

    @BeforeEach
    void make() {
        VertxTimers timers = new VertxTimers(vertx);
        workers = new ReadWorkers(ReadLimits.DEFAULTS.with(1, 1), SystemClock.INSTANCE, timers, meters);
        recaller = SearchServices.create(
                new SearchServices.Parts(
                        database,
                        new LuceneAnalysis(),
                        embedder,
                        new ExactVectorIndex(database, SystemClock.INSTANCE, workers, () -> 64L << 20, meters),
                        () -> null,
                        ignored -> {},
                        log::add),
                SystemClock.INSTANCE,
                timers,
                () -> RecallSettings.DEFAULTS,
                meters);
    }

    @AfterEach
    void stop() {
        Await.result(workers.close());
    }

    @ParameterizedTest
    @EnumSource(RecallMode.class)
    void aCallerWhoLeavesTakesItsStatementsOffTheServer(RecallMode mode) throws Exception {
        put("the observatory on the hill");
        // What is shared with other recalls, as statistics and counting vectors are, goes on by itself: here it is
        // done, or
        // does not begin.
        Await.result(recaller.recall(scope, request("observatory", RecallMode.LEXICAL, new CancelSignal())));
        Await.until("nothing goes on", () -> atWork("state = 'active'") == 0);
        log.clear();
        embedder.stalls();
        CancelSignal cancel = new CancelSignal();
        try (Connection other = server.jdbc();
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            lock.execute("lock table memory in access exclusive mode");
            Future<RecallResponse> answer = recaller.recall(scope, request("observatory", mode, cancel));
            Await.until("it waits for the lock", () -> atWork("wait_event_type = 'Lock'") > 0);
            cancel.cancel(CancelCause.DISCONNECTED);
            Await.failure(answer, FailureCode.CANCELLED);
            Await.until("nothing of it is left", () -> atWork("wait_event_type = 'Lock'") == 0);
        }
        embedder.answers(1, 0, 0, 0);
        assertThat(log).hasSize(1);
        assertThat(log.get(0).outcome()).isEqualTo(new RecallRecord.Failed(FailureCode.CANCELLED));
        assertThat(Await.result(recaller.recall(scope, request("observatory", mode, new CancelSignal())))
                        .hits())
                .hasSize(1);
    }

    @Test
    void readWorkersThatAreFullCostTheVectorLegAndNoMore() throws Exception {
        UUID id = put("the observatory on the hill");
        CountDownLatch release = new CountDownLatch(1);
        List<Future<Boolean>> busy = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            busy.add(workers.run(in(60_000), () -> {
                release.await();
                return true;
            }));
        }
        RecallResponse response =
                Await.result(recaller.recall(scope, request("observatory", RecallMode.HYBRID, new CancelSignal())));
        assertThat(response.degraded()).isEqualTo(DegradeReason.VECTOR_INDEX_UNAVAILABLE);
        assertThat(response.served()).isEqualTo(RecallMode.LEXICAL);
        assertThat(response.hits().get(0).memory().id()).isEqualTo(id);
        release.countDown();
        busy.forEach(Await::result);
        assertThat(Await.result(recaller.recall(scope, request("observatory", RecallMode.HYBRID, new CancelSignal())))
                        .degraded())
                .isNull();
    }

    @Test
    void c15TheLogTellsRequestedFromServedAndWhatWasFoundFromWhatWasAnswered() {
        for (int i = 0; i < 12; i++) {
            put("observatory number " + i);
        }
        Await.result(recaller.recall(scope, request("observatory", RecallMode.HYBRID, new CancelSignal())));
        embedder.fails(FailureCode.OVERLOADED);
        Await.result(recaller.recall(scope, request("observatory", RecallMode.HYBRID, new CancelSignal())));
        Await.result(recaller.recall(scope, request("observatory", RecallMode.STRICT, new CancelSignal())));
        assertThat(log).hasSize(3);
        assertThat(log.get(0).outcome()).isEqualTo(new RecallRecord.Answered(RecallMode.HYBRID, null, 5, 1.0));
        assertThat(log.get(0).counts()).isEqualTo(new RecallRecord.Counts(12, 12, 12));
        assertThat(log.get(0).timing().vector()).isNotNull();
        assertThat(log.get(1).requested()).isEqualTo(RecallMode.HYBRID);
        assertThat(log.get(1).outcome())
                .isEqualTo(new RecallRecord.Answered(RecallMode.LEXICAL, DegradeReason.EMBEDDING_OVERLOADED, 5, null));
        assertThat(log.get(1).counts().vector()).isNull();
        assertThat(log.get(1).timing().lexical()).isNotNull();
        assertThat(log.get(2).outcome()).isEqualTo(new RecallRecord.Answered(RecallMode.STRICT, null, 5, null));
    }

    @Test
    void c16AQuestionOfWhichAPartWasNotLookedAtSaysSo() {
        put("the observatory on the hill");
        String many = "observatory "
                + String.join(
                        " ",
                        java.util.stream.IntStream.range(0, 200)
                                .mapToObj(i -> "word" + i)
                                .toList());
        for (RecallMode mode : List.of(RecallMode.HYBRID, RecallMode.LEXICAL)) {
            RecallResponse cut = Await.result(recaller.recall(scope, request(many, mode, new CancelSignal())));
            assertThat(cut.queryTruncated()).as(mode + "").isTrue();
            assertThat(cut.toJson().getBoolean("query_truncated")).isTrue();
            assertThat(cut.hits()).hasSize(1);
        }
        String document = "observatory ".repeat(1_000);
        assertThat(Await.result(recaller.recall(scope, request(document, RecallMode.LEXICAL, new CancelSignal())))
                        .queryTruncated())
                .isTrue();
        assertThat(log).allMatch(recall -> recall.question().truncated());
        // A literal text is compared as a whole, however long.
        assertThat(Await.result(recaller.recall(scope, request(document, RecallMode.STRICT, new CancelSignal())))
                        .queryTruncated())
                .isFalse();
        String fits = "observatory ".repeat(60);
        assertThat(Await.result(recaller.recall(scope, request(fits, RecallMode.HYBRID, new CancelSignal())))
                        .queryTruncated())
                .isFalse();
        embedder.truncates();
        assertThat(Await.result(recaller.recall(scope, request("observatory", RecallMode.HYBRID, new CancelSignal())))
                        .queryTruncated())
                .isTrue();
    }

    private UUID put(String text) {
        UUID id = memories.insert(UUID.randomUUID(), scope, draft(text, MemoryKind.NOTE, null, null, null));
        memories.vector(scope, id, MODEL, 0, EmbeddingVector.of(1, 0, 0, 0));
        return id;
    }

    private static RecallRequest request(String query, RecallMode mode, CancelSignal cancel) {
        return new RecallRequest(query, mode, 5, null, Set.of(), false, in(30_000), cancel);
    }

    private static long atWork(String how) {
        return Long.parseLong(server.queryText("select count(*) from pg_stat_activity"
                + " where datname = current_database() and application_name = 'recallgate' and " + how));
    }

    private static Deadline in(long millis) {
        return Deadline.afterMillis(SystemClock.INSTANCE, millis);
    }
}
