package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.pool.SlicePlanner.Bounds;
import io.recallgate.embedding.pool.SlicePlanner.Candidate;
import io.recallgate.embedding.protocol.SlicePart;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlicePlannerTest {

    private static final Bounds BOUNDS = new Bounds(8, 4_096, 512, true, true);

    @Test
    void rowsOfSeveralOperationsShareASliceInTheirOrder() {
        List<SlicePart> parts = SlicePlanner.plan(List.of(work(1, 3, 5), work(2, 2, 5), work(3, 9, 5)), BOUNDS);
        assertThat(parts).extracting(SlicePart::operationId).containsExactly(1L, 2L, 3L);
        assertThat(parts).extracting(part -> part.rows().size()).containsExactly(3, 2, 3);
    }

    @Test
    void withoutSharingThereIsOneOperation() {
        List<SlicePart> parts =
                SlicePlanner.plan(List.of(work(1, 1, 5), work(2, 1, 5)), new Bounds(8, 4_096, 512, false, true));
        assertThat(parts).extracting(SlicePart::operationId).containsExactly(1L);
    }

    @Test
    void whatMustRunAloneRunsOneRowAndHasNoCompany() {
        Candidate alone = new Candidate(1, InputType.QUERY, work(1, 4, 5).inputs(), 2, true);
        List<SlicePart> first = SlicePlanner.plan(List.of(alone, work(2, 1, 5)), BOUNDS);
        assertThat(first).hasSize(1);
        assertThat(first.get(0).rows()).hasSize(1);
        assertThat(first.get(0).rowOffset()).isEqualTo(2);
        List<SlicePart> second = SlicePlanner.plan(List.of(work(2, 1, 5), alone), BOUNDS);
        assertThat(second).extracting(SlicePart::operationId).containsExactly(2L);
    }

    @Test
    void aRowLargerThanTheCapStillRunsByItself() {
        List<SlicePart> parts = SlicePlanner.plan(List.of(work(1, 2, 10_000)), new Bounds(8, 256, 512, true, true));
        assertThat(parts.get(0).rows()).hasSize(1);
    }

    @Test
    void noSliceExceedsItsBoundsAndEachTakesAtLeastOneRow() {
        Random random = new Random(7);
        for (int round = 0; round < 2_000; round++) {
            Bounds bounds = new Bounds(
                    1 + random.nextInt(8), 1 + random.nextInt(5_000), 512, random.nextBoolean(), random.nextBoolean());
            List<Candidate> candidates = new ArrayList<>();
            for (int i = 0; i <= random.nextInt(5); i++) {
                candidates.add(work(i, 1 + random.nextInt(12), random.nextInt(300)));
            }
            List<SlicePart> parts = SlicePlanner.plan(candidates, bounds);
            List<EmbedInput> rows =
                    parts.stream().flatMap(part -> part.rows().stream()).toList();
            int longest = rows.stream()
                    .mapToInt(row -> SlicePlanner.estimate(row, bounds.maxTokens()))
                    .max()
                    .orElseThrow();
            assertThat(parts.get(0).operationId()).isZero();
            assertThat(rows.size()).isBetween(1, bounds.rows());
            assertThat(rows.size() == 1 || rows.size() * longest <= bounds.paddedTokens())
                    .isTrue();
        }
    }

    @Test
    void rowsThatRunOneByOneTakeNoLongerTogetherThanTwoFullWindows() {
        Bounds oneByOne = new Bounds(8, 4_096, 512, true, false);
        assertThat(rows(SlicePlanner.plan(List.of(work(1, 20, 80)), oneByOne)))
                .as("short ones share a dispatch")
                .isEqualTo(8);
        assertThat(rows(SlicePlanner.plan(List.of(work(1, 4, 380), work(2, 4, 380)), oneByOne)))
                .as("of some 60 words each")
                .isEqualTo(7);
        assertThat(rows(SlicePlanner.plan(List.of(work(1, 20, 3_000)), oneByOne)))
                .as("a window each")
                .isEqualTo(2);
        assertThat(rows(SlicePlanner.plan(List.of(work(1, 20, 3_000)), BOUNDS)))
                .as("rows that share a run")
                .isEqualTo(8);
    }

    @Test
    void theUsualLengthCountsBytesOfUtf8AndIsNeverAboveTheWorstCase() {
        assertThat(SlicePlanner.usual(new EmbedInput.Text("x".repeat(300)), 512))
                .isEqualTo(116);
        assertThat(SlicePlanner.usual(new EmbedInput.Text("é".repeat(300)), 512))
                .isEqualTo(216);
        assertThat(SlicePlanner.usual(new EmbedInput.Text("会".repeat(300)), 512))
                .isEqualTo(316);
        assertThat(SlicePlanner.usual(new EmbedInput.Text("😀".repeat(150)), 512))
                .isEqualTo(216);
        assertThat(SlicePlanner.usual(new EmbedInput.Text("x".repeat(100_000)), 512))
                .isEqualTo(512);
        assertThat(SlicePlanner.usual(new EmbedInput.Tokens(new int[100]), 512)).isEqualTo(116);
    }

    private static int rows(List<SlicePart> parts) {
        return parts.stream().mapToInt(part -> part.rows().size()).sum();
    }

    @Test
    void theEstimateIsTheWorstCaseWithinTheWindow() {
        assertThat(SlicePlanner.estimate(new EmbedInput.Text(""), 512)).isEqualTo(16);
        assertThat(SlicePlanner.estimate(new EmbedInput.Text("x".repeat(20)), 512))
                .isEqualTo(76);
        assertThat(SlicePlanner.estimate(new EmbedInput.Text("x".repeat(100_000)), 512))
                .isEqualTo(512);
        assertThat(SlicePlanner.estimate(new EmbedInput.Tokens(new int[100]), 512))
                .isEqualTo(116);
    }

    private static Candidate work(long id, int rows, int length) {
        List<EmbedInput> inputs = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            inputs.add(new EmbedInput.Text("x".repeat(length)));
        }
        return new Candidate(id, InputType.DOCUMENT, inputs, 0, false);
    }
}
