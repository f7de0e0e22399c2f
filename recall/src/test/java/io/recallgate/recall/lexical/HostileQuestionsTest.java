package io.recallgate.recall.lexical;

import static io.recallgate.recall.MemoryFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Random questions made of what means something to somebody: to us, to PostgreSQL, to LIKE, to other search engines. */
class HostileQuestionsTest {

    private static final String[] ALPHABET = {
        "\"",
        "\"",
        "“",
        "”",
        "„",
        "«",
        "»",
        "「",
        "」",
        "'",
        "''",
        "\\",
        "\\'",
        "*",
        "*",
        "**",
        ":*",
        ":",
        "&",
        "|",
        "!",
        "<->",
        "<2>",
        "(",
        ")",
        "%",
        "_",
        "=",
        "$1",
        ";",
        "--",
        "/*",
        "AND",
        "OR",
        "NEAR/3",
        "NOT",
        " ",
        " ",
        " ",
        "\n",
        "\t",
        "kettle",
        "ket",
        "blue",
        "Blue kettle",
        "the",
        "京都",
        "東",
        "🎉",
        "\ud83d",
        "\udc00",
        "é",
        "ﬁ",
        "ß",
        "a",
        "user_id",
        "foo.bar()",
        "HTTP/2",
        "\u0001",
        "\u200d",
        "\u0301",
        "\ufeff",
        "'kettle':1A",
        "=kettle",
        "c++",
        "5\""
    };

    private static final int ROUNDS = 400;

    private static TestDatabase server;
    private static Vertx vertx;
    private static Database database;
    private static MemoryFixture memories;

    @BeforeAll
    static void open() {
        server = TestDatabase.embedded();
        vertx = Vertx.vertx();
        database = Database.open(vertx, server.options(), new VertxTimers(vertx));
        memories = new MemoryFixture(server);
    }

    @AfterAll
    static void close() {
        await(database.close());
        await(vertx.close());
        memories.close();
        server.close();
    }

    @Test
    void noQuestionFailsOrFindsAnotherOwnersMemories() {
        Scope mine = new Scope("mine", "p");
        Scope theirs = new Scope("theirs", "p");
        Random random = new Random(7);
        Set<UUID> own = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            String content = "blue kettle " + text(random, 12);
            own.add(memories.turn(mine, content.replaceAll("[\\ud800-\\udfff]", "")));
            memories.turn(theirs, content.replaceAll("[\\ud800-\\udfff]", ""));
        }
        TermStatistics statistics = new TermStatistics(database, SystemClock.INSTANCE);
        LexicalLeg leg = new LexicalLeg(database, new LuceneAnalysis(), statistics);
        for (int round = 0; round < ROUNDS; round++) {
            if (round == ROUNDS / 2) {
                await(statistics.refresh(mine));
            }
            String question = text(random, 1 + random.nextInt(30));
            LexicalSearch search = new LexicalSearch(mine, question, 50, null, Set.of());
            for (LexicalResult result :
                    new LexicalResult[] {await(leg.search(search, soon())), await(leg.strict(search, soon()))}) {
                assertThat(own)
                        .as("round %d: %s", round, question)
                        .containsAll(
                                result.hits().stream().map(LexicalHit::memoryId).toList());
            }
        }
    }

    @Test
    void aQuestionOf100KilobytesOfQuotesAndStarsIsAnswered() {
        Scope mine = new Scope("large", "p");
        UUID kettle = memories.turn(mine, "a kettle");
        LexicalLeg leg =
                new LexicalLeg(database, new LuceneAnalysis(), new TermStatistics(database, SystemClock.INSTANCE));
        for (String piece : new String[] {"\"kettle ", "ke* ", "\"a\" ", "'", "\"", "*", "kettle* & \"kettle\" "}) {
            String question = piece.repeat(100_000 / piece.length());
            LexicalSearch search = new LexicalSearch(mine, question, 50, null, Set.of());
            assertThat(await(leg.search(search, soon())).hits())
                    .as(piece)
                    .extracting(LexicalHit::memoryId)
                    .containsExactly(kettle);
        }
    }

    private static String text(Random random, int pieces) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < pieces; i++) {
            text.append(ALPHABET[random.nextInt(ALPHABET.length)]);
        }
        return text.toString();
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 30_000);
    }
}
