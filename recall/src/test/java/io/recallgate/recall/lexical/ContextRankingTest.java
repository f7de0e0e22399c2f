package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.RankingSettings.FusionMethod;
import io.recallgate.recall.api.RankingSignal;
import io.recallgate.recall.lexical.QuestionScorer.Asked;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ContextRankingTest {

    private static final List<String> TERMS = List.of("tea", "jonas", "mai");
    private static final double AVERAGE = 5;

    /** Six turns of one session. */
    private static final UUID[] TURN = {id(1), id(2), id(3), id(4), id(5), id(6)};

    private final ScopeStatistics known = new ScopeStatistics(
            100, AVERAGE, Map.of("tea", 9, "jonas", 4), Map.of(), Set.of(), Set.of(Language.ENGLISH), Cohesion.ASSUMED);

    @Test
    void aTurnIsFoundByTheWordsOfItsNeighboursAndNearerOnesCountMore() {
        Map<UUID, LexicalHit> hits = ranked(session("", "", "'tea':1", "", "", ""), 1, RankingSettings.DEFAULTS);

        // Those after it get .7, .5 and .35, those before it a half and a quarter.
        assertThat(hits.keySet()).containsExactlyInAnyOrder(TURN);
        assertThat(of(hits, TURN[2]).score()).isGreaterThan(of(hits, TURN[3]).score());
        assertThat(of(hits, TURN[3]).score()).isGreaterThan(of(hits, TURN[1]).score());
        assertThat(of(hits, TURN[5]).score()).isGreaterThan(of(hits, TURN[0]).score());
        assertThat(of(hits, TURN[3]).parts()).containsOnlyKeys(LexicalPart.NEIGHBOURS);
        assertThat(of(hits, TURN[2]).parts()).containsOnlyKeys(LexicalPart.TEXT);
    }

    @Test
    void theScoreIsBm25OverTheWindow() {
        LexicalHit hit = of(ranked(session("", "", "'tea':2", "", "", ""), 1, RankingSettings.DEFAULTS), TURN[3]);

        double frequency = 0.7 * 2;
        // Five terms each: itself, three before it and two after it.
        double length = 5 * (1 + 0.7 + 0.5 + 0.35 + 0.5 + 0.25);
        assertThat(hit.score()).isCloseTo(Bm25.score(Bm25.idf(100, 9), frequency, length, 3.3 * AVERAGE), within(1e-9));
        assertThat(hit.parts().values().stream()
                        .mapToDouble(Double::doubleValue)
                        .sum())
                .isCloseTo(hit.score(), within(1e-9));
    }

    @Test
    void withoutStrengthAMemoryIsItsOwnWordsOnly() {
        Map<UUID, LexicalHit> hits = ranked(session("", "", "'tea':1", "", "", ""), 0, RankingSettings.DEFAULTS);

        assertThat(hits.keySet()).containsExactly(TURN[2]);
        assertThat(of(hits, TURN[2]).score()).isCloseTo(Bm25.score(Bm25.idf(100, 9), 1, 5, AVERAGE), within(1e-9));
    }

    @Test
    void aMemoryWithoutASessionIsComparedWithOneTextAndNotWithAWindow() {
        ContextRanking ranking = new ContextRanking(TERMS);
        ranking.add(new Remembered(TURN[0], null, MemoryKind.NOTE, false, false), 5, TsBytesTest.sent("'tea':1"), 0);

        assertThat(ranking.scores(scorer(RankingSettings.DEFAULTS), kind -> 1, kind -> true))
                .singleElement()
                .satisfies(hit ->
                        assertThat(hit.score()).isCloseTo(Bm25.score(Bm25.idf(100, 9), 1, 5, AVERAGE), within(1e-9)));
    }

    @Test
    void authorAndDateAreTheMemorysOwnAndNotItsNeighbours() {
        Map<UUID, LexicalHit> hits =
                ranked(session("", "", "'jonas':4097A 'mai':8193B", "", "", ""), 1, RankingSettings.DEFAULTS);

        assertThat(hits.keySet()).containsExactly(TURN[2]);
        assertThat(of(hits, TURN[2]).parts()).containsOnlyKeys(LexicalPart.AUTHOR, LexicalPart.DATE);
    }

    @Test
    void eachFieldHasItsSwitch() {
        List<String> session = session("", "", "'tea':1 'jonas':4097A 'mai':8193B", "", "", "");
        assertThat(of(ranked(session, 0, without(RankingSignal.AUTHOR_WORDS)), TURN[2])
                        .parts())
                .containsOnlyKeys(LexicalPart.TEXT, LexicalPart.DATE);
        assertThat(of(ranked(session, 0, without(RankingSignal.DATE_WORDS)), TURN[2])
                        .parts())
                .containsOnlyKeys(LexicalPart.TEXT, LexicalPart.AUTHOR);
    }

    @Test
    void aKindThatIsNotAskedForStillLendsItsWords() {
        ContextRanking ranking = new ContextRanking(TERMS);
        ranking.add(new Remembered(TURN[0], TURN[1], MemoryKind.NOTE, false, false), 5, TsBytesTest.sent("'tea':1"), 0);
        ranking.add(new Remembered(TURN[1], null, MemoryKind.TURN, false, false), 5, TsBytesTest.sent(""), 0);

        assertThat(ranking.scores(
                        scorer(RankingSettings.DEFAULTS), kind -> 1, memory -> memory.kind() == MemoryKind.TURN))
                .extracting(LexicalHit::memoryId)
                .containsExactly(TURN[1]);
    }

    @Test
    void whoIsNamedIsTold() {
        ContextRanking ranking = new ContextRanking(TERMS);
        ranking.add(
                new Remembered(TURN[0], null, MemoryKind.TURN, false, false), 5, TsBytesTest.sent("'jonas':4097A"), 0);
        ranking.add(new Remembered(TURN[1], null, MemoryKind.TURN, false, false), 5, TsBytesTest.sent("'jonas':1"), 0);

        assertThat(ranking.authored()).containsExactly(TURN[0]);
    }

    private static LexicalHit of(Map<UUID, LexicalHit> hits, UUID id) {
        return Objects.requireNonNull(hits.get(id));
    }

    private static List<String> session(String... words) {
        return List.of(words);
    }

    private Map<UUID, LexicalHit> ranked(List<String> session, double strength, RankingSettings settings) {
        ContextRanking ranking = new ContextRanking(TERMS);
        for (int i = 0; i < session.size(); i++) {
            UUID next = i + 1 < session.size() ? TURN[i + 1] : null;
            ranking.add(
                    new Remembered(TURN[i], next, MemoryKind.TURN, false, false),
                    5,
                    TsBytesTest.sent(session.get(i)),
                    0);
        }
        return ranking.scores(scorer(settings), kind -> strength, kind -> true).stream()
                .collect(Collectors.toMap(LexicalHit::memoryId, hit -> hit));
    }

    private QuestionScorer scorer(RankingSettings settings) {
        return QuestionScorer.of(new Asked(TERMS, List.of(), Map.of()), known, settings);
    }

    private static RankingSettings without(RankingSignal signal) {
        Set<RankingSignal> left = EnumSet.allOf(RankingSignal.class);
        left.remove(signal);
        return new RankingSettings(FusionMethod.SCORE, left);
    }

    private static UUID id(long number) {
        return new UUID(0, number);
    }
}
