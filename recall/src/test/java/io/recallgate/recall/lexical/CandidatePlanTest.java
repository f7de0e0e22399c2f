package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CandidatePlanTest {

    private static ScopeStatistics statistics(long documents, Map<String, Integer> frequencies) {
        return new ScopeStatistics(
                documents, 10, frequencies, Map.of(), Set.of(), Set.of(Language.ENGLISH), Cohesion.ASSUMED);
    }

    @Test
    void rareTermsFindAndCommonOnesOnlyScore() {
        CandidatePlan plan = CandidatePlan.of(
                List.of("the-usual", "rare", "middling"),
                statistics(50_000, Map.of("the-usual", 20_000, "middling", CandidatePlan.BUDGET_ROWS - 1)));
        assertThat(plan.finding()).containsExactly("rare", "middling");
        assertThat(plan.walk()).isZero();
    }

    @Test
    void termsThatFitTheBudgetAllFind() {
        CandidatePlan plan = CandidatePlan.of(
                List.of("a", "b"),
                statistics(5_000, Map.of("a", CandidatePlan.BUDGET_ROWS / 2, "b", CandidatePlan.BUDGET_ROWS / 2)));
        assertThat(plan.finding()).containsExactly("a", "b");
    }

    @Test
    void aTermThatIsTooCommonIsLookedForAmongTheNewest() {
        CandidatePlan plan = CandidatePlan.of(List.of("a"), statistics(10_000, Map.of("a", 5_000)));
        assertThat(plan.walk()).isEqualTo(2 * CandidatePlan.BUDGET_ROWS);
        CandidatePlan rarer = CandidatePlan.of(List.of("a"), statistics(1_000_000, Map.of("a", 5_000)));
        assertThat(rarer.walk()).isEqualTo(CandidatePlan.MAX_WALK);
    }

    @Test
    void whatTheRarestDoNotFindIsLookedForByTheNextOnes() {
        CandidatePlan plan = CandidatePlan.of(
                List.of("usual", "unheard", "common"), statistics(10_000, Map.of("usual", 9_000, "common", 5_000)));
        assertThat(plan).isEqualTo(new CandidatePlan(List.of("unheard"), List.of("common", "usual"), 600));
    }

    @Test
    void postingsAreReadOfTheRarestTermsAsFarAsTheBudgetGoes() {
        ScopeStatistics statistics =
                statistics(1_000_000, Map.of("a", 500_000, "b", 30_000, "c", 20_000, "d", 200_000));
        assertThat(CandidatePlan.scored(List.of("a", "b", "c"), statistics)).containsExactly("c", "b");
        assertThat(CandidatePlan.scored(List.of("a", "d"), statistics)).containsExactly("d");
    }

    @Test
    void aNameThatIsRareInTextsButTheAuthorOfManyDoesNotFind() {
        ScopeStatistics statistics = new ScopeStatistics(
                50_000,
                10,
                Map.of(),
                Map.of("jonas", 25_000),
                Set.of("jonas"),
                Set.of(Language.ENGLISH),
                Cohesion.ASSUMED);
        assertThat(CandidatePlan.of(List.of("jonas", "kettle"), statistics).finding())
                .containsExactly("kettle");
    }

    @Test
    void withoutStatisticsEveryTermFinds() {
        assertThat(CandidatePlan.of(List.of("a", "b"), null))
                .isEqualTo(new CandidatePlan(List.of("a", "b"), List.of(), 0));
    }

    @Test
    void theWeightOfATermIsNeverNegativeAndFallsWithItsFrequency() {
        assertThat(Bm25.idf(100, 1)).isGreaterThan(Bm25.idf(100, 50));
        assertThat(Bm25.idf(100, 100)).isPositive();
        // A statistic older than a deletion.
        assertThat(Bm25.idf(100, 150)).isPositive();
    }
}
