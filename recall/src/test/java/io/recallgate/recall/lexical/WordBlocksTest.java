package io.recallgate.recall.lexical;

import static io.recallgate.recall.MemoryFixture.await;
import static io.recallgate.recall.MemoryFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Common words in scopes that are too large to be looked through. */
class WordBlocksTest {

    private static final int MEMORIES = (int) WordBlocks.MIN_DOCUMENTS + 1_000;

    private static TestDatabase server;
    private static Vertx vertx;
    private static Database database;
    private static MemoryFixture memories;

    private final Scope scope = new Scope("owner-" + UUID.randomUUID(), "p");
    private TermStatistics statistics;
    private LexicalLeg leg;

    @BeforeAll
    static void open() {
        server = TestDatabase.embedded();
        vertx = Vertx.vertx();
        database = Database.open(vertx, server.options(), new VertxTimers(vertx));
        memories = new MemoryFixture(server);
    }

    @BeforeEach
    void makeLeg() {
        statistics = new TermStatistics(database, SystemClock.INSTANCE);
        leg = new LexicalLeg(database, new LuceneAnalysis(), statistics);
    }

    @AfterAll
    static void close() {
        await(database.close());
        await(vertx.close());
        memories.close();
        server.close();
    }

    /** Half of them have one of two common words, the others the other; all have a third. */
    private static void fill(Scope scope, int count) {
        server.execute(
                "insert into memory (id, owner, project, kind, content, content_hash, words, word_count, language,"
                        + " analysis) select gen_random_uuid(), '" + scope.owner() + "', '" + scope.project()
                        + "', 'turn', '.',"
                        + " sha256('.'), (case when i % 2 = 0 then '''rain'':1 ''weather'':1' else '''snow'':1 ''weather'':1' end)"
                        + "::tsvector, 2, 'en', '" + new LuceneAnalysis().id() + "' from generate_series(1, " + count
                        + ") i");
    }

    @Test
    void theBestIsFoundByCommonWordsHoweverOldItIs() {
        UUID oldest = memories.turn(scope, "snow and rain");
        fill(scope, MEMORIES);
        await(statistics.refresh(scope));
        assertThat(find("rain snow")).hasSize(100).startsWith(oldest);
    }

    @Test
    void ofEqualOnesTheNewestAreFound() {
        // The first of equal ones are those of the lowest ids.
        UUID oldest = memories.insert(new UUID(0, 1), scope, turn("rain weather"));
        fill(scope, MEMORIES);
        UUID newest = memories.insert(new UUID(0, 2), scope, turn("rain weather"));
        await(statistics.refresh(scope));
        assertThat(find("rain weather")).hasSize(100).startsWith(newest).doesNotContain(oldest);
    }

    @Test
    void whatCameSinceTheBlocksIsFoundAtOnce() {
        fill(scope, MEMORIES);
        await(statistics.refresh(scope));
        UUID later = memories.turn(scope, "snow and rain");
        assertThat(find("rain snow")).startsWith(later);
    }

    @Test
    void aWordThatNoMemoryHasHidesNoOther() {
        UUID oldest = memories.turn(scope, "snow and rain");
        fill(scope, MEMORIES);
        await(statistics.refresh(scope));
        assertThat(find("rain snow unheard")).hasSize(100).startsWith(oldest);
    }

    @Test
    void whatIsRemovedIsNotFoundAndBlocksGoWithTheirLastMemory() {
        UUID oldest = memories.turn(scope, "snow and rain");
        fill(scope, MEMORIES);
        await(statistics.refresh(scope));
        memories.delete(oldest);
        assertThat(find("rain snow")).hasSize(100).doesNotContain(oldest);
        assertThat(blocks()).isGreaterThan(1);

        server.execute("delete from memory where owner = '" + scope.owner() + "' and position <= (select last_position"
                + " from word_block where owner = '" + scope.owner() + "' order by first_position limit 1)");
        long left = blocks();
        assertThat(left).isPositive();
        server.execute("delete from memory where owner = '" + scope.owner() + "'");
        assertThat(blocks()).isZero();
        assertThat(server.queryText("select count(*) from word_posting where owner = '" + scope.owner() + "'"))
                .isEqualTo("0");
    }

    @Test
    void whatChangedIsFoundByItsNewWordsAfterTheNextRefresh() {
        UUID oldest = memories.turn(scope, "nothing of it");
        fill(scope, MEMORIES);
        await(statistics.refresh(scope));
        assertThat(find("rain snow")).doesNotContain(oldest);
        server.execute(
                "update memory set words = '''rain'':1 ''snow'':1', version = version + 1 where id = '" + oldest + "'");
        await(statistics.refresh(scope));
        assertThat(find("rain snow")).startsWith(oldest);
    }

    @Test
    void whatWasWrittenLateBetweenTwoBlocksIsTakenInByTheNextRefresh() {
        fill(scope, MEMORIES);
        await(statistics.refresh(scope));
        String where = " where owner = '" + scope.owner() + "'";
        String between =
                server.queryText("select last_position from word_block" + where + " order by first_position limit 1");
        // A place that is free, as if it was drawn by a writer who is done only after the blocks were made.
        server.execute("delete from memory" + where + " and position = " + between);
        await(statistics.refresh(scope));
        UUID late = UUID.randomUUID();
        server.execute(
                "insert into memory (id, owner, project, kind, content, content_hash, words, word_count, analysis,"
                        + " position) overriding system value values ('" + late + "', '" + scope.owner() + "', '"
                        + scope.project() + "', 'turn', '.', sha256('.'), '''rain'':1 ''snow'':1', 2, '"
                        + new LuceneAnalysis().id() + "', " + between + ")");
        await(statistics.refresh(scope));
        assertThat(find("rain snow")).startsWith(late);
    }

    @Test
    void aTailIsMadeAnewWithWhatCameSince() {
        fill(scope, MEMORIES);
        await(statistics.refresh(scope));
        long before = blocks();
        fill(scope, 1_000);
        await(statistics.refresh(scope));
        assertThat(blocks()).isEqualTo(before);
        assertThat(server.queryText("select sum(memories) from word_block where owner = '" + scope.owner() + "'"))
                .isEqualTo(Integer.toString(MEMORIES + 1_000));
    }

    @Test
    void supersededOnesAreLeftOutBeforeTheLimitAndFoundWhenAskedFor() {
        UUID oldest = memories.turn(scope, "snow and rain");
        fill(scope, MEMORIES);
        UUID superseded = memories.turn(scope, "snow and rain today");
        memories.supersede(superseded);
        await(statistics.refresh(scope));
        assertThat(find("rain snow")).startsWith(oldest).doesNotContain(superseded);
        LexicalSearch all = new LexicalSearch(scope, "rain snow", 100, null, Set.of(), RankingSettings.DEFAULTS, true);
        assertThat(ids(await(leg.search(all, soon())))).contains(superseded);
    }

    @Test
    void kindsNarrowTheSearchToTheNewest() {
        fill(scope, MEMORIES);
        UUID note = memories.insert(UUID.randomUUID(), scope, draft("rain again", MemoryKind.NOTE, null, null, null));
        await(statistics.refresh(scope));
        LexicalSearch notes = new LexicalSearch(scope, "rain", 100, null, Set.of(MemoryKind.NOTE));
        assertThat(ids(await(leg.search(notes, soon())))).containsExactly(note);
    }

    @Test
    void anotherOwnersBlocksAndMemoriesAreNeverSeen() {
        Scope other = new Scope(scope.owner(), "other");
        UUID theirs = memories.turn(other, "snow and rain");
        fill(other, MEMORIES);
        await(statistics.refresh(other));
        fill(scope, MEMORIES);
        await(statistics.refresh(scope));
        assertThat(find("rain snow")).hasSize(100).doesNotContain(theirs);
        assertThat(server.queryText(
                        "select count(distinct word) from word_posting where owner = '" + scope.owner() + "'"))
                .isEqualTo("6");
    }

    private static MemoryDraft turn(String content) {
        return draft(content, MemoryKind.TURN, null, null, null);
    }

    private long blocks() {
        return Long.parseLong(
                server.queryText("select count(*) from word_block where owner = '" + scope.owner() + "'"));
    }

    private List<UUID> find(String text) {
        return ids(await(leg.search(new LexicalSearch(scope, text, 100, null, Set.of()), soon())));
    }

    private static List<UUID> ids(LexicalResult result) {
        return result.hits().stream().map(LexicalHit::memoryId).toList();
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 10_000);
    }
}
