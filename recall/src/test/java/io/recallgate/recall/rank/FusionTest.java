package io.recallgate.recall.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FusionTest {

    private static final UUID A = new UUID(0, 1);
    private static final UUID B = new UUID(0, 2);
    private static final UUID C = new UUID(0, 3);

    @Test
    void scaledScoresAddUp() {
        List<Fused> order = Fusion.fuse(
                List.of(new Scored(A, 8), new Scored(B, 4)),
                List.of(new Scored(B, 0.9), new Scored(A, 0.8), new Scored(C, 0.7)),
                Set.of(C),
                10);
        assertThat(order).extracting(Fused::id).containsExactly(A, B, C);
        // A: .5 of the best BM25 and half of the way between the last and the first cosine.
        assertThat(order.get(0).score()).isCloseTo(0.5 + 0.25, within(1e-9));
        assertThat(order.get(1).score()).isCloseTo(0.25 + 0.5, within(1e-9));
        assertThat(order.get(2).score()).isCloseTo(0.2, within(1e-9));
    }

    @Test
    void ranksOfEachLegAreKept() {
        List<Fused> order = Fusion.fuse(
                List.of(new Scored(A, 8), new Scored(B, 4)),
                List.of(new Scored(C, 0.9), new Scored(B, 0.5)),
                Set.of(),
                10);
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
    void theSignalsAddUpToTheScore() {
        for (Fused fused : Fusion.fuse(
                List.of(new Scored(A, 3), new Scored(B, 1)),
                List.of(new Scored(B, 0.4), new Scored(C, 0.1)),
                Set.of(A, B),
                10)) {
            double sum = fused.signals().values().stream()
                    .mapToDouble(Double::doubleValue)
                    .sum();
            assertThat(sum).isCloseTo(fused.score(), within(1e-12));
        }
    }

    @Test
    void tiesGoById() {
        List<Scored> same = new ArrayList<>(List.of(new Scored(C, 1), new Scored(A, 1), new Scored(B, 1)));
        assertThat(Fusion.fuse(same, List.of(), Set.of(), 10))
                .extracting(Fused::id)
                .containsExactly(A, B, C);
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
        assertThat(Fusion.fuse(List.of(), List.of(new Scored(A, -0.2)), Set.of(), 10))
                .singleElement()
                .satisfies(fused -> assertThat(fused.score()).isEqualTo(0.5));
        assertThat(Fusion.fuse(List.of(new Scored(A, 0)), List.of(), Set.of(), 10))
                .singleElement()
                .satisfies(fused -> assertThat(fused.score()).isEqualTo(0.5));
        assertThat(Fusion.fuse(List.of(), List.of(), Set.of(A), 10)).isEmpty();
    }

    @Test
    void theLimitCutsAfterSorting() {
        assertThat(Fusion.fuse(List.of(new Scored(B, 2), new Scored(A, 1)), List.of(new Scored(C, 1)), Set.of(C), 1))
                .extracting(Fused::id)
                .containsExactly(C);
    }
}
