package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.Await;
import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReanalysisTest {

    private static final Scope SCOPE = new Scope("alice", "atlas");

    private final FakeClock clock = new FakeClock();
    private final LuceneAnalysis analysis = new LuceneAnalysis();
    private TestDatabase server;
    private Vertx vertx;
    private Database database;
    private MemoryFixture memories;
    private Reanalysis reanalysis;

    @BeforeEach
    void open() {
        server = TestDatabase.embedded();
        vertx = Vertx.vertx();
        database = Database.open(vertx, server.options(), new VertxTimers(vertx));
        memories = new MemoryFixture(server);
        reanalysis = reanalysis(analysis);
    }

    @AfterEach
    void nothingIsLeftBehind() {
        Await.result(reanalysis.stop());
        Await.result(reanalysis.stop());
        assertThat(clock.pending()).isZero();
        memories.close();
        Await.result(database.close());
        Await.result(vertx.close());
        server.close();
    }

    @Test
    void wordsThatAnotherAnalysisMadeAreMadeAnewAndNothingElseOfTheMemoryChanges() {
        UUID id = memories.insert(
                UUID.randomUUID(),
                SCOPE,
                MemoryFixture.draft("blue kettles", MemoryKind.TURN, "s", "Mina", clock.instant()));
        String words = text("select words from memory");
        server.execute("update memory set analysis = '', words = 'old:1', word_count = 9");
        String before = text("select row_to_json(m)::jsonb - 'words' - 'word_count' - 'analysis' from memory m");

        start();

        Await.until("it is analysed", () -> text("select analysis from memory").equals(analysis.id()));
        assertThat(text("select words from memory where id = '" + id + "'")).isEqualTo(words);
        assertThat(text("select word_count from memory")).isEqualTo("2");
        assertThat(text("select row_to_json(m)::jsonb - 'words' - 'word_count' - 'analysis' from memory m"))
                .isEqualTo(before);
    }

    @Test
    void allPagesArePassedOverAndThenThereIsAPassAgain() {
        memories(Reanalysis.PAGE + 50);

        start();
        rounds(2);

        assertThat(text("select count(*) from memory where analysis = ''")).isEqualTo("0");

        server.execute("update memory set analysis = '1' where id = (select id from memory order by id desc limit 1)");
        clock.advance(Duration.ofMillis(Reanalysis.PASS_MILLIS));
        rounds(1);

        assertThat(text("select count(*) from memory where analysis <> '" + analysis.id() + "'"))
                .isEqualTo("0");
    }

    @Test
    void whatAWriterChangesMeanwhileKeepsTheWritersWords() {
        UUID id = memories.turn(SCOPE, "kettle");
        server.execute("update memory set analysis = ''");
        Await.result(reanalysis.stop());
        // The writer comes between the reading and the writing.
        reanalysis = reanalysis(new LexicalAnalysis() {
            @Override
            public LexicalDocument document(MemoryDraft draft) {
                server.execute("update memory set version = 2, words = 'writers:1', analysis = '9'");
                return analysis.document(draft);
            }

            @Override
            public String id() {
                return analysis.id();
            }
        });

        start();
        Await.until(
                "a pass",
                () -> clock.pending() == 1
                        && text("select analysis from memory").equals("9"));

        assertThat(text("select words from memory where id = '" + id + "'")).isEqualTo("'writers':1");
    }

    private Reanalysis reanalysis(LexicalAnalysis with) {
        return new Reanalysis(
                vertx,
                database,
                with,
                vertx.createSharedWorkerExecutor("test-analysis", 1),
                new Reanalysis.Pace(SystemClock.INSTANCE, clock));
    }

    private void start() {
        reanalysis.start();
        Await.until("it is armed", () -> clock.pending() == 1);
        clock.advance(Duration.ofMillis(Reanalysis.FIRST_MILLIS));
    }

    private void rounds(int rounds) {
        for (int i = 0; i < rounds; i++) {
            Await.until("a step ended", () -> clock.pending() == 1);
            clock.advance(Duration.ofMinutes(1));
        }
        Await.until("a step ended", () -> clock.pending() == 1);
    }

    private void memories(int count) {
        server.execute("insert into memory (id, owner, project, kind, content, content_hash, words, word_count)"
                + " select gen_random_uuid(), 'alice', 'atlas', 'note', 'memory ' || i,"
                + " sha256(convert_to('memory ' || i, 'UTF8')), 'old', 1 from generate_series(1, " + count + ") i");
    }

    private String text(String query) {
        return server.queryText(query);
    }
}
