package io.recallgate.recall.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.recall.Await;
import io.recallgate.recall.Recall;
import io.recallgate.recall.RecallOptions;
import io.recallgate.recall.ScriptedEmbedder;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryQuery;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.JdbcSource;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database of the first schema, with what was in it, under the program of today. */
class MigrationTest {

    private static final Scope ATLAS = new Scope("alice", "atlas");

    private final ScriptedEmbedder embedder = new ScriptedEmbedder();
    private Vertx vertx;
    private TestDatabase database;
    private Recall recall;

    @BeforeEach
    void migrate() throws IOException {
        vertx = Vertx.vertx();
        database = TestDatabase.empty();
        Flyway.configure()
                .dataSource(JdbcSource.of(database.options()))
                .locations("classpath:db/migration")
                .table("recallgate_schema_history")
                .placeholderReplacement(false)
                .createSchemas(false)
                .target("1")
                .load()
                .migrate();
        try (InputStream rows = MigrationTest.class.getResourceAsStream("/db/v1-data.sql")) {
            database.execute(new String(rows.readAllBytes(), StandardCharsets.UTF_8));
        }
        recall = Await.result(Recall.start(
                vertx,
                RecallOptions.defaults(database.options(), "migrated"),
                new Recall.Parts(
                        embedder,
                        () -> RecallSettings.DEFAULTS,
                        new SimpleMeterRegistry(),
                        SystemClock.INSTANCE,
                        new VertxTimers(vertx))));
    }

    @AfterEach
    void close() {
        Await.result(recall.close());
        Await.result(vertx.close());
        database.close();
    }

    @Test
    void whatTheFirstSchemaHeldIsThereIsRecalledAndItsJobsRun() {
        assertThat(recall.schema().migrations()).isPositive();
        assertThat(recall.schema().version()).isEqualTo(newest());

        List<Memory> memories = Await.result(
                        recall.memories().list(ATLAS, new MemoryQuery(null, null, null, 10, null), soon()))
                .memories();
        assertThat(memories).hasSize(4);
        assertThat(memories.get(3).draft().metadata().encode()).isEqualTo("{\"source\":\"chat\"}");
        assertThat(memories.get(2).draft().pinned()).isTrue();
        // Its vector is of the active model: nothing embeds it again.
        assertThat(memories.get(3).state()).isEqualTo(MemoryState.EMBEDDED);

        // Their words are made anew, in whichever language they are, and know their places then.
        Await.until("words are made anew", () -> database.queryText(
                        "select count(*) from memory where analysis <> '" + new LuceneAnalysis().id() + "'")
                .equals("0"));
        assertThat(words("\"moved to Kyoto\"", RecallMode.LEXICAL)).startsWith("Mina moved to Kyoto in spring");
        assertThat(words("mov*", RecallMode.LEXICAL)).startsWith("Mina moved to Kyoto in spring");
        assertThat(memories).allMatch(memory -> memory.supersededBy().isEmpty() && memory.access() == null);

        // With it comes its neighbour in the session, which the index of the fifth schema finds.
        assertThat(words("Kyoto", RecallMode.LEXICAL))
                .containsExactly("Mina moved to Kyoto in spring", "parseConfig() throws on Jonas's machine");
        assertThat(words("京都", RecallMode.LEXICAL)).containsExactly("祖母は京都に住んでいます");
        assertThat(words("parseConfig()", RecallMode.STRICT))
                .containsExactly("parseConfig() throws on Jonas's machine");

        // The waiting one, the retryable one, and the one whose process was gone.
        Await.until("jobs run", () -> database.queryText("select count(*) from embedding_job where state = 'done'")
                .equals("4"));
        assertThat(embedder.timesAsked("Mina: Mina moved to Kyoto in spring")).isZero();
        assertThat(database.queryText("select state || failures from embedding_job where state = 'failed'"))
                .isEqualTo("failed5");
        assertThat(Await.result(recall.jobs().retryFailed(ATLAS, soon()))).isOne();

        RecallResponse hybrid =
                Await.result(recall.recall().recall(ATLAS, request("where is Mina", RecallMode.HYBRID)));
        assertThat(hybrid.served()).isEqualTo(RecallMode.HYBRID);
        assertThat(hybrid.hits())
                .noneMatch(hit -> hit.memory().draft().content().startsWith("Bob"));
    }

    private List<String> words(String query, RecallMode mode) {
        return Await.result(recall.recall().recall(ATLAS, request(query, mode))).hits().stream()
                .map(hit -> hit.memory().draft().content())
                .toList();
    }

    private String newest() {
        return database.queryText("select version from recallgate_schema_history order by installed_rank desc limit 1");
    }

    private static RecallRequest request(String query, RecallMode mode) {
        return new RecallRequest(query, mode, 10, null, Set.of(), false, soon(), new CancelSignal());
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 15_000);
    }
}
