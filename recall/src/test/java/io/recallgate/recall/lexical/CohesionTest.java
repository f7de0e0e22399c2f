package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.lexical.Cohesion.Sample;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CohesionTest {

    private final Random random = new Random(7);

    @Test
    void turnsThatShareWordsWithTheNextButNotWithFarOnesAreAConversation() {
        assertThat(of(samples(400, MemoryKind.TURN, true, true)).strength(MemoryKind.TURN))
                .isEqualTo(1);
    }

    @Test
    void notesThatAreNoMoreLikeTheNextThanLikeFarOnesLendNoWords() {
        assertThat(of(samples(400, MemoryKind.NOTE, false, true)).strength(MemoryKind.NOTE))
                .isZero();
    }

    @Test
    void kindsAreToldApart() {
        List<Sample> both = new ArrayList<>(samples(200, MemoryKind.TURN, true, true));
        both.addAll(samples(200, MemoryKind.NOTE, false, true));
        Cohesion cohesion = of(both);
        assertThat(cohesion.strength(MemoryKind.TURN)).isEqualTo(1);
        assertThat(cohesion.strength(MemoryKind.NOTE)).isZero();
        // Nothing was seen of these.
        assertThat(cohesion.strength(MemoryKind.DOCUMENT)).isEqualTo(1);
    }

    @Test
    void aHandfulOfPairsDoesNotDecide() {
        double few = of(samples(3, MemoryKind.NOTE, false, true)).strength(MemoryKind.NOTE);
        assertThat(few).isGreaterThan(0.5);
    }

    @Test
    void inShortSessionsAnotherSessionIsTheFarOne() {
        assertThat(of(samples(400, MemoryKind.TURN, true, false)).strength(MemoryKind.TURN))
                .isEqualTo(1);
        assertThat(of(samples(400, MemoryKind.NOTE, false, false)).strength(MemoryKind.NOTE))
                .isZero();
    }

    @Test
    void aSingleShortSessionSaysNothing() {
        Sample only = new Sample("s", MemoryKind.NOTE, Set.of("a"), Set.of("b"), null);
        assertThat(of(List.of(only, only)).strength(MemoryKind.NOTE)).isEqualTo(1);
    }

    @Test
    void textsWithoutWordsAreHarmless() {
        Sample empty = new Sample("s", MemoryKind.TURN, Set.of(), Set.of(), Set.of());
        assertThat(of(List.of(empty)).strength(MemoryKind.TURN)).isBetween(0.0, 1.0);
    }

    private static Cohesion of(List<Sample> samples) {
        return Cohesion.of(samples, word -> 1);
    }

    /** Memories of ten words out of two hundred; of a conversation, the next one takes three of them up. */
    private List<Sample> samples(int count, MemoryKind kind, boolean conversation, boolean longSessions) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Set<String> here = words(10);
            Set<String> next = words(conversation ? 7 : 10);
            if (conversation) {
                here.stream().limit(3).forEach(next::add);
            }
            @Nullable Set<String> far = longSessions ? words(10) : null;
            samples.add(new Sample("session " + i / 4, kind, here, next, far));
        }
        return samples;
    }

    private Set<String> words(int count) {
        Set<String> words = new HashSet<>();
        while (words.size() < count) {
            words.add("w" + random.nextInt(200));
        }
        return words;
    }
}
