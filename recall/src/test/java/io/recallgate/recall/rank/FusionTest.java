package io.recallgate.recall.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.recallgate.recall.api.RankingSettings.FusionMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FusionTest {

    private static final UUID A = new UUID(0, 1);
    private static final UUID B = new UUID(0, 2);
    private static final UUID C = new UUID(0, 3);

    @Test
    void scaledScoresAddUp() {
        List<Fused> order = fuse(
                words(new Scored(A, 8), new Scored(B, 4)),
                List.of(new Scored(B, 0.9), new Scored(A, 0.8), new Scored(C, 0.7)),
                Set.of(C));
        assertThat(order).extracting(Fused::id).containsExactly(A, B, C);
        // A: .5 of the best BM25 and half of the way between the farthest and the nearest cosine.
        assertThat(order.get(0).score()).isCloseTo(0.5 + 0.25, within(1e-9));
        assertThat(order.get(1).score()).isCloseTo(0.25 + 0.5, within(1e-9));
        assertThat(order.get(2).score()).isCloseTo(0.2, within(1e-9));
    }

    @Test
    void whatOnlyTheWordsFoundCountsByItsMeaningTooOnceItIsMeasured() {
        Pool pool = new Pool(words(new Scored(A, 8), new Scored(B, 8)), List.of(new Scored(C, 0.9)));
        assertThat(pool.unmeasured()).containsExactlyInAnyOrder(A, B);
        List<Fused> order = Fusion.fuse(
                pool.measured(Map.of(A, 0.7, B, 0.8, new UUID(9, 9), 1.0)).evidence(), FusionMethod.SCORE, 10);
        assertThat(order).extracting(Fused::id).containsExactly(B, A, C);
        assertThat(order.get(0).score()).isCloseTo(0.5 + 0.25, within(1e-9));
        // Near enough to be compared, but not among the nearest.
        assertThat(order.get(0).vectorRank()).isNull();
        assertThat(order.get(0).signals()).containsKeys("lexical", "vector");
    }

    @Test
    void reciprocalRanksGoByRanksAlone() {
        Pool pool = new Pool(
                words(new Scored(A, 1_000), new Scored(B, 1)), List.of(new Scored(B, 0.9), new Scored(C, 0.1)));
        pool.authored(Set.of(C));
        List<Fused> order = Fusion.fuse(pool.evidence(), FusionMethod.RRF, 10);
        assertThat(order).extracting(Fused::id).containsExactly(B, C, A);
        assertThat(order.get(0).score()).isCloseTo(1.0 / 61 + 1.0 / 62, within(1e-12));
        assertThat(order.get(1).score()).isCloseTo(1.0 / 62 + 0.4 / 61, within(1e-12));
        assertThat(order.get(2).score()).isCloseTo(1.0 / 61, within(1e-12));
    }

    @Test
    void ranksOfEachLegAreKept() {
        List<Fused> order = fuse(
                words(new Scored(A, 8), new Scored(B, 4)), List.of(new Scored(C, 0.9), new Scored(B, 0.5)), Set.of());
        assertThat(order)
                .filteredOn(fused -> fused.id().equals(B))
                .singleElement()
                .satisfies(fused -> {
                    assertThat(fused.lexicalRank()).isEqualTo(2);
                    assertThat(fused.vectorRank()).isEqualTo(2);
                });
        assertThat(order)
                .filteredOn(fused -> fused.id().equals(A))
                .singleElement()
                .satisfies(fused -> assertThat(fused.vectorRank()).isNull());
    }

    @Test
    void theSignalsAddUpToTheScoreAndTheFieldsToTheWords() {
        for (FusionMethod method : FusionMethod.values()) {
            Pool pool = new Pool(
                    words(new Scored(A, 3), new Scored(B, 1)), List.of(new Scored(B, 0.4), new Scored(C, 0.1)));
            pool.authored(Set.of(A, B));
            for (Fused fused : Fusion.fuse(pool.evidence(), method, 10)) {
                assertThat(sum(fused.signals())).isCloseTo(fused.score(), within(1e-12));
                assertThat(sum(fused.wordParts()))
                        .isCloseTo(fused.signals().getOrDefault("lexical", 0.0), within(1e-12));
            }
        }
    }

    @Test
    void tiesGoById() {
        List<Scored> same = new ArrayList<>(List.of(new Scored(C, 1), new Scored(A, 1), new Scored(B, 1)));
        assertThat(fuse(List.of(), same, Set.of())).extracting(Fused::id).containsExactly(A, B, C);
        same.sort(Scored.BEST_FIRST);
        assertThat(same).extracting(Scored::id).containsExactly(A, B, C);
    }

    @Test
    void anIdWithItsHighBitSetComesLastAsInTheDatabase() {
        UUID high = UUID.fromString("ff000000-0000-4000-8000-000000000000");
        UUID low = UUID.fromString("01000000-0000-4000-8000-000000000000");
        assertThat(IdOrder.BYTES.compare(low, high)).isNegative();
        assertThat(low.compareTo(high)).isPositive();
    }

    @Test
    void oneLegAloneIsEnough() {
        assertThat(fuse(List.of(), List.of(new Scored(A, -0.2)), Set.of()))
                .singleElement()
                .satisfies(fused -> assertThat(fused.score()).isEqualTo(0.5));
        assertThat(fuse(words(new Scored(A, 0)), List.of(), Set.of()))
                .singleElement()
                .satisfies(fused -> assertThat(fused.score()).isEqualTo(0.5));
        assertThat(fuse(List.of(), List.of(), Set.of(A))).isEmpty();
    }

    @Test
    void theLimitCutsAfterSorting() {
        Pool pool = new Pool(words(new Scored(B, 2), new Scored(A, 1)), List.of(new Scored(C, 1)));
        pool.authored(Set.of(C));
        assertThat(Fusion.fuse(pool.evidence(), FusionMethod.SCORE, 1))
                .extracting(Fused::id)
                .containsExactly(C);
    }

    @Test
    void whatIsPinnedComesAheadOfWhatIsAboutAsGoodAndNotOfAnAnswer() {
        List<Evidence> words = words(new Scored(A, 10), new Scored(B, 9.5), new Scored(C, 2));
        for (FusionMethod method : FusionMethod.values()) {
            Pool pool = new Pool(words, List.of(new Scored(A, 0.9), new Scored(B, 0.89), new Scored(C, 0.2)));
            pool.pinned(Set.of(B, C));
            List<Fused> order = Fusion.fuse(pool.evidence(), method, 10);
            assertThat(order).as("%s", method).extracting(Fused::id).startsWith(B);
            assertThat(order.get(0).signals()).containsKey(Fusion.PINNED);
            assertThat(sum(order.get(0).signals())).isCloseTo(order.get(0).score(), within(1e-9));
        }
        Pool pool = new Pool(words, List.of(new Scored(A, 0.9), new Scored(B, 0.89), new Scored(C, 0.2)));
        pool.pinned(Set.of(B, C));
        assertThat(Fusion.fuse(pool.evidence(), FusionMethod.SCORE, 10))
                .extracting(Fused::id)
                .containsExactly(B, A, C);
        List<Evidence> some = new ArrayList<>(words);
        some.set(1, words.get(1).asPinned());
        some.set(2, words.get(2).asPinned());
        assertThat(Fusion.lexicalOnly(some, 2)).extracting(Fused::id).containsExactly(B, A);
        assertThat(Fusion.lexicalOnly(words, 10)).extracting(Fused::id).containsExactly(A, B, C);
    }

    private static List<Fused> fuse(List<Evidence> words, List<Scored> meaning, Set<UUID> authored) {
        Pool pool = new Pool(words, meaning);
        pool.authored(authored);
        return Fusion.fuse(pool.evidence(), FusionMethod.SCORE, 10);
    }

    private static List<Evidence> words(Scored... bestFirst) {
        List<Evidence> words = new ArrayList<>();
        for (Scored one : bestFirst) {
            words.add(Evidence.ofWords(
                    one.id(),
                    one.score(),
                    words.size() + 1,
                    one.score() == 0 ? Map.of() : Map.of("text", 0.75 * one.score(), "date", 0.25 * one.score())));
        }
        return words;
    }

    private static double sum(Map<String, Double> parts) {
        return parts.values().stream().mapToDouble(Double::doubleValue).sum();
    }
}
