package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.Await;
import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Literal texts with and without the index of trigrams, on whichever server. */
abstract class TrigramContract {

    private final Scope scope = new Scope("alice", "atlas");
    private final FakeClock clock = new FakeClock();
    private final Vertx vertx = Vertx.vertx();
    private TestDatabase server;
    private Database database;
    private MemoryFixture memories;
    private Trigrams trigrams;
    private LexicalLeg indexed;
    private LexicalLeg reading;

    abstract TestDatabase openServer();

    @BeforeEach
    void open() {
        server = openServer();
        database = Database.open(vertx, server.options(), new VertxTimers(vertx));
        memories = new MemoryFixture(server);
        // Statements take real time; tries take the fake clock's.
        trigrams = new Trigrams(database, SystemClock.INSTANCE, clock);
        TermStatistics statistics = new TermStatistics(database, SystemClock.INSTANCE);
        indexed = new LexicalLeg(database, new LuceneAnalysis(), statistics, trigrams::usable);
        reading = new LexicalLeg(database, new LuceneAnalysis(), statistics);
    }

    @AfterEach
    void close() {
        Await.result(trigrams.stop());
        assertThat(clock.pending()).isZero();
        memories.close();
        Await.result(database.close());
        Await.result(vertx.close());
        server.close();
    }

    @Test
    void aRareTextIsFoundByTheIndex() {
        assertThat(trigrams.state()).isEqualTo(Trigrams.State.PENDING);
        many(20_000);
        UUID needle = memories.turn(scope, "the needle 4711-xyzzy lies here");
        server.execute("analyze memory");

        ready();

        assertThat(plan("%4711-xyzzy%")).contains("memory_content_trigrams");
        assertThat(strict(indexed, "4711-xyzzy")).containsExactly(needle);
    }

    @Test
    void theIndexFindsWhatReadingFindsAndNothingIsAPattern() {
        ready();
        Scope other = new Scope("bob", "atlas");
        String[] contents = {
            "50% of foo_bar\\baz",
            "50 percent of fooXbar",
            "Ünïcode Straße ﬁn",
            "the Quick fox",
            "the quick fox",
            "先週、東京タワーに行きました",
            "call foo.bar() now",
            "a'b\"c",
            "日本語abc",
            "x".repeat(3_000) + "tail"
        };
        for (String content : contents) {
            memories.turn(scope, content);
            memories.turn(other, content);
        }
        for (String literal : List.of(
                "50%",
                "0%",
                "%",
                "foo_bar",
                "foo_",
                "\\baz",
                "bar\\b",
                "%foo%",
                "quick",
                "Quick",
                "UÜnï",
                "Ünï",
                "Straße",
                "strasse",
                "東京",
                "東京タワ",
                "foo.bar()",
                "o.b",
                "()",
                "'b\"",
                "語abc",
                "xxxtail",
                "  ",
                "the  quick",
                "fox")) {
            assertThat(strict(indexed, literal)).as(literal).isEqualTo(strict(reading, literal));
        }
        assertThat(strict(indexed, "foo_bar")).hasSize(1);
        assertThat(strict(indexed, "quick")).hasSize(1);
    }

    @Test
    void aCommonTextIsFoundAmongTheNewest() {
        many(LiteralSearch.MAX_FOUND + 100);
        UUID newest = memories.turn(scope, "memory of something");
        ready();

        List<UUID> found = strict(indexed, "memory of");
        assertThat(found).hasSize(100).startsWith(newest).isEqualTo(strict(reading, "memory of"));
    }

    @Test
    void whereTheIndexCannotBeMadeTextsAreReadAndItIsTriedAgain() {
        server.execute("alter table memory rename to elsewhere");
        trigrams.start();
        Await.until("it failed", () -> trigrams.state() == Trigrams.State.FAILED);
        server.execute("alter table elsewhere rename to memory");
        UUID kettle = memories.turn(scope, "a kettle");
        assertThat(strict(indexed, "kett")).containsExactly(kettle);

        clock.advance(Duration.ofMillis(Trigrams.RETRY_MILLIS));
        Await.until("it is ready", trigrams::usable);
        assertThat(strict(indexed, "kett")).containsExactly(kettle);
    }

    @Test
    void anInvalidIndexThatACrashLeftIsBuiltAnew() {
        ready();
        server.execute("update pg_index set indisvalid = false where indexrelid = 'memory_content_trigrams'::regclass");
        Trigrams again = new Trigrams(database, SystemClock.INSTANCE, clock);

        again.start();
        Await.until("it is ready", again::usable);

        assertThat(server.queryText(
                        "select indisvalid from pg_index where indexrelid = 'memory_content_trigrams'::regclass"))
                .isEqualTo("t");
        Await.result(again.stop());
    }

    @Test
    void ofTextsWithoutThreeLettersInARowTheIndexIsNotAsked() {
        assertThat(List.of("abc", "a.bcd", "日本語", "123")).allMatch(LiteralSearch::hasTrigram);
        assertThat(List.of("ab", "a.bc", "東京", "a b c d", "...")).noneMatch(LiteralSearch::hasTrigram);
    }

    private void ready() {
        trigrams.start();
        Await.until("the index is ready", trigrams::usable);
    }

    private void many(int count) {
        server.execute("insert into memory (id, owner, project, kind, content, content_hash, words, word_count)"
                + " select gen_random_uuid(), 'alice', 'atlas', 'note', 'memory of ' || md5(i::text),"
                + " sha256('.'), 'old', 1 from generate_series(1, " + count + ") i");
    }

    private String plan(String pattern) {
        String statement = Statements.load("lexical/strict-trigrams")
                .replace("$1", "'alice'")
                .replace("$2", "'atlas'")
                .replace("$3", "'" + pattern + "'")
                .replace("$4", "'{note,turn,document}'")
                .replace("$5", Long.toString(LiteralSearch.MAX_FOUND + 1))
                .replace("$6", "null")
                .replace("$7", "false");
        StringBuilder plan = new StringBuilder();
        try (Connection connection = server.jdbc();
                Statement explain = connection.createStatement();
                ResultSet rows = explain.executeQuery("explain " + statement)) {
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return plan.toString();
    }

    private List<UUID> strict(LexicalLeg leg, String text) {
        LexicalSearch search = new LexicalSearch(scope, text, 100, null, Set.of());
        return Await.result(leg.strict(search, Deadline.afterMillis(SystemClock.INSTANCE, 15_000))).hits().stream()
                .map(LexicalHit::memoryId)
                .toList();
    }
}
