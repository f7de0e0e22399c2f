package io.recallgate.recall.lexical;

import static io.recallgate.recall.MemoryFixture.await;
import static io.recallgate.recall.MemoryFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.RankingSettings.FusionMethod;
import io.recallgate.recall.api.RankingSignal;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.rank.IdOrder;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LexicalLegTest {

    private static TestDatabase server;
    private static Vertx vertx;
    private static Database database;
    private static MemoryFixture memories;

    /** A scope for each test keeps them apart. */
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

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theRarerWordWeighsMoreWithAndWithoutStatistics(boolean withStatistics) {
        for (int i = 0; i < 20; i++) {
            memories.turn(scope, "garden number " + i + " has roses");
        }
        UUID rare = memories.turn(scope, "the observatory has no flowers or trees");
        UUID both = memories.turn(scope, "a garden beside the observatory");
        if (withStatistics) {
            await(statistics.refresh(scope));
        }
        List<UUID> found = find("garden observatory");
        assertThat(found).startsWith(both, rare).hasSize(22);
    }

    @Test
    void theScoreIsBm25() {
        UUID one = memories.turn(scope, "tea tea biscuit");
        memories.turn(scope, "biscuit cake");
        memories.turn(scope, "coffee");
        await(statistics.refresh(scope));
        LexicalHit hit = await(leg.search(search("tea"), soon())).hits().get(0);
        // By hand: 3 documents, 1 has it, twice, length 3, average 2.
        double expected = Math.log(1 + (3 - 1 + 0.5) / 1.5) * (2 * 2.2) / (2 + 1.2 * (0.6 + 0.4 * 3 / 2));
        assertThat(hit.memoryId()).isEqualTo(one);
        assertThat(hit.score()).isCloseTo(expected, within(1e-9));
    }

    @Test
    void equalScoresAreOrderedById() {
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ids.add(memories.turn(scope, "the same words"));
        }
        ids.sort(IdOrder.BYTES);
        assertThat(find("words")).isEqualTo(ids);
    }

    @Test
    void anotherOwnerOrProjectIsNeverSeen() {
        memories.turn(new Scope(scope.owner(), "other"), "secret words");
        memories.turn(new Scope("someone else", scope.project()), "secret words");
        assertThat(find("secret words")).isEmpty();
        assertThat(strict("secret")).isEmpty();
        assertThat(find("")).isEmpty();
    }

    @Test
    void anOwnerOfOnePercentGetsAllItsOwn() {
        Scope crowd = new Scope("crowd-" + scope.owner(), "p");
        for (int i = 0; i < 500; i++) {
            memories.turn(crowd, "everybody writes about weather " + i);
        }
        for (int i = 0; i < 25; i++) {
            memories.turn(scope, "weather again " + i);
        }
        await(statistics.refresh(scope));
        assertThat(find("weather")).hasSize(25);
    }

    @Test
    void sessionAndKindsNarrowTheSearch() {
        UUID turn = put("blue kettle", MemoryKind.TURN, "s1", null, null);
        UUID note = put("blue kettle", MemoryKind.NOTE, "s1", null, null);
        UUID elsewhere = put("blue kettle", MemoryKind.TURN, "s2", null, null);
        assertThat(find("kettle", "s1", Set.of())).containsExactlyInAnyOrder(turn, note);
        assertThat(find("kettle", null, Set.of(MemoryKind.TURN))).containsExactlyInAnyOrder(turn, elsewhere);
        assertThat(find("kettle", "s1", Set.of(MemoryKind.NOTE))).containsExactly(note);
    }

    @Test
    void aQuestionWithoutWordsGetsTheNewestAndSaysTheyAreNotRelevant() {
        UUID first = put("one", MemoryKind.TURN, "s1", null, null);
        UUID second = put("two", MemoryKind.TURN, "s2", null, null);
        LexicalResult all = await(leg.search(search("  "), soon()));
        assertThat(all.relevant()).isFalse();
        assertThat(ids(all)).containsExactly(second, first);
        assertThat(find("what did they", "s1", Set.of())).containsExactly(first);
    }

    @Test
    void authorAndDateAreWords() {
        Instant may = Instant.parse("2023-05-08T13:56:00Z");
        UUID hers = put("I went hiking", MemoryKind.TURN, null, "Melanie", may);
        UUID aboutHer = put("I saw Melanie and thought of hiking boots", MemoryKind.TURN, null, "Caroline", null);
        assertThat(find("Melanie hiking")).containsExactly(hers, aboutHer);
        assertThat(find("8 May 2023")).containsExactly(hers);
        assertThat(await(leg.search(search("What did Melanie do?"), soon())).authored())
                .containsExactly(hers);
    }

    @Test
    void anAnswerIsFoundByTheQuestionBeforeIt() {
        Instant start = Instant.parse("2023-05-08T10:00:00Z");
        // Stored in another order than said, and between turns of another session.
        UUID answer = put("In Lisbon, for a week", MemoryKind.TURN, "s1", "Jonas", start.plusSeconds(60));
        put("entirely different matters", MemoryKind.TURN, "s2", "Ann", start.plusSeconds(30));
        UUID question = put("Where was your holiday?", MemoryKind.TURN, "s1", "Ann", start);
        UUID later = put("Sounds lovely", MemoryKind.TURN, "s1", "Ann", start.plusSeconds(120));
        put("unrelated", MemoryKind.NOTE, null, null, null);

        LexicalResult found = await(leg.search(search("holiday"), soon()));
        assertThat(ids(found)).containsExactly(question, answer, later);
        assertThat(found.hits().get(1).parts()).containsOnlyKeys(LexicalPart.NEIGHBOURS);
        assertThat(ids(await(leg.search(search("holiday", RankingSignal.NEIGHBOURS), soon()))))
                .containsExactly(question);
    }

    @Test
    void turnsWithoutATimeComeAfterThoseWithOneInTheOrderTheyWereStored() {
        Instant start = Instant.parse("2023-05-08T10:00:00Z");
        UUID first = put("kettle", MemoryKind.TURN, "s1", null, null);
        UUID second = put("nothing", MemoryKind.TURN, "s1", null, null);
        UUID before = put("earlier", MemoryKind.TURN, "s1", null, start);

        List<LexicalHit> hits = await(leg.search(search("kettle"), soon())).hits();
        // What follows gets .7, what comes before a half.
        assertThat(hits).extracting(LexicalHit::memoryId).containsExactly(first, second, before);
    }

    @Test
    void anotherOwnersSessionOfTheSameNameLendsNoWords() {
        Scope other = new Scope("someone else " + scope.owner(), scope.project());
        Instant start = Instant.parse("2023-05-08T10:00:00Z");
        memories.insert(UUID.randomUUID(), other, draft("secret kettle", MemoryKind.TURN, "s1", null, start));
        UUID mine = put("nothing", MemoryKind.TURN, "s1", null, start.plusSeconds(60));
        UUID teapot = put("kettle", MemoryKind.NOTE, null, null, null);

        assertThat(find("kettle")).containsExactly(teapot).doesNotContain(mine);
        // Not even by a foreign id.
        UUID theirs = memories.insert(UUID.randomUUID(), other, draft("kettle", MemoryKind.TURN, "s1", null, start));
        Candidates candidates = await(leg.candidates(search("kettle"), soon()));
        assertThat(ids(await(leg.inContext(candidates, List.of(theirs), soon()))))
                .containsExactly(teapot);
    }

    @Test
    void unrelatedNotesInOneSessionDoNotLendEachOtherWords() {
        Random random = new Random(3);
        for (int i = 0; i < 200; i++) {
            StringBuilder words = new StringBuilder();
            for (int w = 0; w < 10; w++) {
                words.append("thing").append(random.nextInt(150)).append(' ');
            }
            put(words.toString(), MemoryKind.NOTE, "notes", null, null);
        }
        UUID kettle = put("the kettle", MemoryKind.NOTE, "notes", null, null);
        put("thing1 thing2", MemoryKind.NOTE, "notes", null, null);
        await(statistics.refresh(scope));

        assertThat(find("kettle")).containsExactly(kettle);
        assertThat(ids(await(leg.search(search("kettle", RankingSignal.COHESION), soon()))))
                .startsWith(kettle)
                .hasSize(4);
    }

    @Test
    void whatBothLegsFoundIsScoredAsIfOneHad() {
        Instant start = Instant.parse("2023-05-08T10:00:00Z");
        UUID question = put("Where was your holiday?", MemoryKind.TURN, "s1", "Ann", start);
        UUID answer = put("In Lisbon", MemoryKind.TURN, "s1", "Jonas", start.plusSeconds(60));
        UUID later = put("By the sea", MemoryKind.TURN, "s1", "Jonas", start.plusSeconds(120));
        await(statistics.refresh(scope));
        Candidates candidates = await(leg.candidates(search("holiday in Lisbon"), soon()));

        LexicalResult one = await(leg.inContext(candidates, List.of(), soon()));
        LexicalResult both = await(leg.inContext(candidates, List.of(answer, question, later), soon()));
        assertThat(one.hits()).hasSize(3);
        assertThat(both).isEqualTo(one);
    }

    @Test
    void memoriesThatTheMeaningFoundAreScoredWithTheirNeighboursToo() {
        Instant start = Instant.parse("2023-05-08T10:00:00Z");
        put("a kettle", MemoryKind.TURN, "s1", "Ann", start);
        UUID alone = put("Lisbon", MemoryKind.NOTE, null, "Jonas", null);
        UUID near = put("Lisbon", MemoryKind.TURN, "s2", "Jonas", start);
        put("a teapot", MemoryKind.TURN, "s2", "Ann", start.plusSeconds(60));
        Candidates candidates = await(leg.candidates(search("teapot Jonas", RankingSignal.AUTHOR_WORDS), soon()));

        LexicalResult found = await(leg.inContext(candidates, List.of(near, alone), soon()));
        assertThat(ids(found)).hasSize(2).contains(near);
        assertThat(found.authored()).containsExactlyInAnyOrder(near, alone);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'",
                "\"",
                "\\",
                "a & !b | (c:*) <-> d",
                "kettle' | 'x",
                "AND OR NEAR/3",
                "%_",
                "$1; drop table memory",
                ":A",
                "''''",
                "\\'",
                "🎉",
                "\ud83d"
            })
    void oddQuestionsAreHarmlessInEveryMode(String text) {
        memories.turn(scope, "an ordinary kettle");
        assertThat(find(text).size()).isLessThanOrEqualTo(1);
        assertThat(strict(text)).isEmpty();
    }

    @Test
    void wordsWithQuotesAndBackslashesAreStoredAndFound() {
        UUID id = memories.turn(scope, "rock'n'roll at C:\\temp\\o'neil and user_id in foo.bar() over HTTP/2");
        for (String question : List.of("rock'n'roll", "o'neil", "user_id", "foo.bar()", "HTTP/2")) {
            assertThat(find(question)).as(question).containsExactly(id);
            assertThat(strict(question)).as(question).containsExactly(id);
        }
        assertThat(strict("C:\\temp\\o'neil and")).containsExactly(id);
    }

    @Test
    void twoCjkCharactersAreFound() {
        UUID id = memories.turn(scope, "先週、東京タワーに行きました");
        memories.turn(scope, "京都はとても静かでした");
        assertThat(find("東京")).containsExactly(id);
        assertThat(strict("東京")).containsExactly(id);
        assertThat(strict("タワー")).containsExactly(id);
    }

    @Test
    void strictIsLiteralAndNewestFirst() {
        UUID older = memories.turn(scope, "the quick brown fox");
        memories.turn(scope, "The Quick Brown Fox");
        UUID newer = memories.turn(scope, "a quick brown foxtrot");
        assertThat(strict("quick brown fox")).containsExactly(newer, older);
        assertThat(strict("ick brown f")).containsExactly(newer, older);
        assertThat(strict("quick  brown")).isEmpty();
        assertThat(strict("%brown%")).isEmpty();
    }

    @Test
    void strictFindsWhatIsPastTheIndexedWords() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 40_000; i++) {
            text.append(Integer.toString(i + 1_000_000, 36)).append("q ");
        }
        UUID id = memories.turn(scope, text + "and the needle hides here");
        assertThat(find("needle")).isEmpty();
        assertThat(strict("the needle hides here")).containsExactly(id);
    }

    @Test
    void aLongTextIsRankedByItsOwnCounts() {
        UUID longText =
                memories.turn(scope, "filler words everywhere ".repeat(300) + "with one zebra and another zebra");
        UUID shortText = memories.turn(scope, "one zebra");
        await(statistics.refresh(scope));
        assertThat(find("zebra everywhere")).containsExactly(longText, shortText);
    }

    @Test
    void aTermThatEverybodyHasIsFoundAmongTheNewest() {
        for (int i = 0; i < CandidatePlan.BUDGET_ROWS + 500; i++) {
            memories.turn(scope, "weather " + i);
        }
        UUID newest = memories.turn(scope, "weather weather weather");
        await(statistics.refresh(scope));
        assertThat(find("weather")).hasSize(100).startsWith(newest);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsQuotedIsAheadOfItsWordsApart(boolean withStatistics) {
        UUID phrase =
                memories.turn(scope, "we ate in the Blue Cat last week, and it rained and rained for hours on end");
        UUID apart = memories.turn(scope, "blue paint, cat food, cats, blue");
        UUID turned = memories.turn(scope, "cat blue");
        if (withStatistics) {
            await(statistics.refresh(scope));
        }
        assertThat(find("blue cat")).doesNotContainSequence(phrase, apart);
        for (String asked :
                List.of("\"blue cat\"", "where is the “Blue Cat”?", "«blue cat», \"cat", "\"in the blue cats\"")) {
            assertThat(find(asked)).as(asked).startsWith(phrase).contains(apart, turned);
        }
        assertThat(await(leg.search(search("\"blue cat\""), soon()))
                        .hits()
                        .get(0)
                        .parts())
                .containsKey(LexicalPart.PHRASE);
        // A quote that nothing closes, and quotes around nothing, are no phrases.
        for (String asked : List.of("\"blue cat", "blue cat\"", "\"\" blue cat", "\" \" blue cat \"")) {
            assertThat(find(asked)).as(asked).isEqualTo(find("blue cat"));
        }
    }

    @Test
    void stopWordsOfAPhraseArePlaces() {
        UUID phrase = memories.turn(scope, "a letter to the editor of the paper, which was long and says nothing new");
        UUID near = memories.turn(scope, "letter editor");
        assertThat(find("\"letter to the editor\"")).containsExactly(phrase, near);
        assertThat(find("\"letter editor\"")).containsExactly(near, phrase);
    }

    @Test
    void phrasesOfIdentifiersAndOfCjkAreFoundByTheirPlaces() {
        UUID code =
                memories.turn(scope, "call foo.bar() before user_id is read, and then do many other things at length");
        memories.turn(scope, "user_id read foo.bar() call");
        assertThat(find("\"call foo.bar() before user_id\"")).startsWith(code);
        UUID tower = memories.turn(scope, "先週、家族と一緒に東京都庁を見ました。とても楽しかったです");
        UUID turned = memories.turn(scope, "京都 東京 都庁");
        assertThat(find("「東京都庁」")).containsExactly(tower, turned);
        assertThat(find("\"京都 東京\"")).containsExactly(turned, tower);
    }

    @Test
    void aPhraseFindsWhatItsCommonWordsWouldNotHaveFound() {
        UUID oldest = memories.turn(scope, "red boat");
        for (int i = 0; i < 2 * CandidatePlan.BUDGET_ROWS; i++) {
            memories.turn(scope, "a boat " + i + " that was red");
        }
        await(statistics.refresh(scope));
        assertThat(find("red boat")).doesNotContain(oldest);
        assertThat(find("\"red boat\"")).startsWith(oldest);
    }

    @Test
    void aWordWithAStarIsFoundByItsBeginning() {
        UUID embedding = memories.turn(scope, "an embedding of words");
        UUID organ = memories.turn(scope, "she plays the organ");
        UUID organisation = memories.turn(scope, "an organization of volunteers");
        UUID accent = memories.turn(scope, "Émile came by");
        assertThat(find("embe*")).containsExactly(embedding);
        // In its own form, which its stem is shorter than.
        assertThat(find("embeddin*")).containsExactly(embedding);
        assertThat(find("organiz*")).containsExactly(organisation);
        assertThat(find("organ*")).containsExactlyInAnyOrder(organ, organisation);
        assertThat(find("emil*")).containsExactly(accent);
        assertThat(find("ÉMI*")).containsExactly(accent);
        await(statistics.refresh(scope));
        assertThat(find("embeddin*")).containsExactly(embedding);
        assertThat(find("piano organiz* ", null, Set.of(MemoryKind.TURN))).containsExactly(organisation);
        memories.turn(new Scope("another of " + scope.owner(), scope.project()), "organizers");
        assertThat(find("organiz*")).containsExactly(organisation);
    }

    @Test
    void aStarElsewhereIsNoBeginning() {
        memories.turn(scope, "an embedding of words");
        for (String asked : List.of("e*", "*embe*", "embe**", "*", "** **", "embe *", "em*x", "emb%*", "e_b*", "*:*")) {
            assertThat(relevant(asked)).as(asked).isEmpty();
        }
    }

    @Test
    void aBeginningOfManyWordsStandsForTheMostCommonOnes() {
        for (int i = 0; i < 3 * Prefixes.MAX_WORDS; i++) {
            memories.turn(scope, "pre" + (char) ('a' + i / 26) + (char) ('a' + i % 26) + "q");
        }
        UUID one = memories.turn(scope, "prefixed");
        UUID two = memories.turn(scope, "prefixes");
        assertThat(find("pre*")).hasSize(Prefixes.MAX_WORDS + 1).contains(one, two);
    }

    @Test
    void whatALaterPlaceWouldTellIsOnlyAPhraseAsFarAsPlacesAreTold() {
        UUID late = memories.turn(scope, "filler words ".repeat(2_500) + "green parrot");
        UUID apart = memories.turn(scope, "parrot green");
        assertThat(find("\"green parrot\"")).containsExactlyInAnyOrder(late, apart);
        assertThat(find("parro*")).contains(late, apart);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsSupersededIsLeftOutBeforeTheLimit(boolean withStatistics) {
        List<UUID> left = new ArrayList<>();
        List<UUID> superseded = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            left.add(put("kettle, and other things that make it a longer text " + i, MemoryKind.TURN, "s", null, null));
        }
        // More of them, and better, than any leg hands on.
        for (int i = 0; i < LexicalSearch.MAX_LIMIT + 20; i++) {
            superseded.add(put("kettle", MemoryKind.TURN, "s", null, null));
        }
        superseded.forEach(memories::supersede);
        if (withStatistics) {
            await(statistics.refresh(scope));
        }
        for (String question : List.of("kettle", "\"kettle\"", "kett*", "the")) {
            for (String session : new String[] {null, "s"}) {
                LexicalSearch search = new LexicalSearch(scope, question, 20, session, Set.of());
                assertThat(ids(await(leg.search(search, soon()))))
                        .as("%s in %s", question, session)
                        .hasSize(20)
                        .isSubsetOf(left);
            }
        }
        for (String literal : List.of("kettle", "a kettle", "and other things")) {
            assertThat(ids(await(leg.strict(new LexicalSearch(scope, literal, 20, null, Set.of()), soon()))))
                    .as(literal)
                    .isSubsetOf(left);
        }
        LexicalSearch all = new LexicalSearch(scope, "kettle", 100, null, Set.of(), RankingSettings.DEFAULTS, true);
        assertThat(ids(await(leg.search(all, soon())))).hasSize(100).isSubsetOf(superseded);
        assertThat(ids(await(leg.strict(all, soon())))).hasSize(100).isSubsetOf(superseded);
    }

    @Test
    void aSupersededTurnStillLendsItsNeighboursItsWords() {
        Instant start = Instant.parse("2023-05-08T10:00:00Z");
        UUID question = put("Where was your holiday?", MemoryKind.TURN, "s1", "Ann", start);
        UUID answer = put("In Lisbon", MemoryKind.TURN, "s1", "Jonas", start.plusSeconds(60));
        put("nothing", MemoryKind.NOTE, null, null, null);
        memories.supersede(question);
        // It is no candidate itself; the one that is brings it along.
        Candidates candidates = await(leg.candidates(search("holiday Lisbon"), soon()));
        LexicalResult found = await(leg.inContext(candidates, List.of(), soon()));
        assertThat(ids(found)).containsExactly(answer);
        assertThat(found.hits().get(0).parts()).containsKey(LexicalPart.NEIGHBOURS);
    }

    @Test
    void whatIsPinnedIsTold() {
        UUID pinned = memories.insert(
                UUID.randomUUID(),
                scope,
                new MemoryDraft("a kettle", MemoryKind.NOTE, null, null, null, null, true, null, new JsonObject()));
        for (int i = 0; i < LexicalLeg.ANCHORS + 10; i++) {
            memories.turn(scope, "kettle kettle kettle");
        }
        assertThat(await(leg.search(search("kettle"), soon())).pinned()).containsExactly(pinned);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOwnerOfSeveralLanguagesFindsEachByItsStems(boolean withStatistics) {
        UUID german = memories.turn(scope, "Wir haben mit den Kindern die alten Häuser am Hafen besucht");
        UUID english = memories.turn(scope, "We were looking at old houses with the children");
        UUID spanish = memories.turn(scope, "Los niños fueron a la escuela con sus hermanas");
        if (withStatistics) {
            await(statistics.refresh(scope));
        }
        assertThat(find("Haus")).containsExactly(german);
        assertThat(find("Haus am Hafen")).startsWith(german);
        assertThat(find("\"alte Haus\"")).startsWith(german);
        assertThat(find("house")).containsExactly(english);
        assertThat(find("look")).containsExactly(english);
        assertThat(find("hermana")).containsExactly(spanish);
        assertThat(find("häus*")).containsExactly(german);
        assertThat(strict("den Kindern die alten Häuser am")).containsExactly(german);
        assertThat(strict("niños fueron a la escuela con")).containsExactly(spanish);
    }

    private List<UUID> relevant(String text) {
        LexicalResult result = await(leg.search(search(text), soon()));
        return result.relevant() ? ids(result) : List.of();
    }

    private UUID put(
            String content,
            MemoryKind kind,
            @Nullable String session,
            @Nullable String author,
            @Nullable Instant occurredAt) {
        return memories.insert(UUID.randomUUID(), scope, draft(content, kind, session, author, occurredAt));
    }

    private List<UUID> find(String text) {
        return find(text, null, Set.of());
    }

    private List<UUID> find(String text, @Nullable String session, Set<MemoryKind> kinds) {
        return ids(await(leg.search(new LexicalSearch(scope, text, 100, session, kinds), soon())));
    }

    private List<UUID> strict(String text) {
        return ids(await(leg.strict(search(text), soon())));
    }

    private LexicalSearch search(String text) {
        return new LexicalSearch(scope, text, 100, null, Set.of());
    }

    private LexicalSearch search(String text, RankingSignal without) {
        Set<RankingSignal> left = EnumSet.allOf(RankingSignal.class);
        left.remove(without);
        return new LexicalSearch(
                scope, text, 100, null, Set.of(), new RankingSettings(FusionMethod.SCORE, left), false);
    }

    private static List<UUID> ids(LexicalResult result) {
        return result.hits().stream().map(LexicalHit::memoryId).toList();
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 10_000);
    }
}
