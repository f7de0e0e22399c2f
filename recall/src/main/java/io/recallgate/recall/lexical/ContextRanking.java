package io.recallgate.recall.lexical;

import io.recallgate.recall.api.MemoryKind;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Ranks memories by their own words and those of their neighbours in the session. A neighbour that has none of the words
 * itself is ranked too. Pure; one use, one thread; about a microsecond for each memory.
 */
final class ContextRanking {

    private final TsBytes terms;
    private final Map<UUID, Turn> turns = new LinkedHashMap<>();
    private final Map<UUID, UUID> before = new HashMap<>();

    /** @param terms distinct terms of the question */
    ContextRanking(List<String> terms) {
        this.terms = new TsBytes(terms);
    }

    private record Turn(Remembered memory, WordCounts counts) {
        UUID id() {
            return memory.id();
        }
    }

    /**
     * Takes a memory.
     *
     * @param length terms of its text
     * @param words as the server sends them
     * @param phrases the bits of the phrases that it has
     */
    void add(Remembered memory, int length, Buffer words, int phrases) {
        turns.put(memory.id(), new Turn(memory, WordCounts.read(terms, length, words, phrases)));
        UUID next = memory.next();
        if (next != null) {
            before.put(next, memory.id());
        }
    }

    /** Whether it was taken. */
    boolean has(UUID id) {
        return turns.containsKey(id);
    }

    /** Those by somebody whom the question names. */
    Set<UUID> authored() {
        return those(turn -> turn.counts.authored());
    }

    /** Those that are pinned. */
    Set<UUID> pinned() {
        return those(turn -> turn.memory.pinned());
    }

    private Set<UUID> those(Predicate<Turn> like) {
        Set<UUID> those = new HashSet<>();
        for (Turn turn : turns.values()) {
            if (like.test(turn)) {
                those.add(turn.id());
            }
        }
        return those;
    }

    /**
     * Their scores, in no order; those without any of the words are left out.
     *
     * @param strength how much neighbours count for a memory of a kind, 0 to 1
     * @param admitted what may be found; the others only count for their neighbours
     */
    List<LexicalHit> scores(
            QuestionScorer scorer, ToDoubleFunction<MemoryKind> strength, Predicate<Remembered> admitted) {
        List<LexicalHit> hits = new ArrayList<>();
        for (Turn turn : turns.values()) {
            if (admitted.test(turn.memory)) {
                LexicalHit hit = score(turn, scorer, strength.applyAsDouble(turn.memory.kind()));
                if (hit.score() > 0) {
                    hits.add(hit);
                }
            }
        }
        return hits;
    }

    private LexicalHit score(Turn turn, QuestionScorer scorer, double strength) {
        boolean standalone = turn.memory.next() == null && !before.containsKey(turn.id());
        if (strength == 0 || standalone) {
            return scorer.alone(turn.id(), turn.counts);
        }
        double[] around = new double[terms.size()];
        double length = turn.counts.length;
        Turn earlier = turn;
        Turn later = turn;
        for (int distance = 1; distance <= Window.REACH; distance++) {
            earlier = earlier == null ? null : known(before.get(earlier.id()));
            later = later == null ? null : known(later.memory.next());
            length += add(earlier, strength * Window.before(distance), around);
            length += add(later, strength * Window.after(distance), around);
        }
        return scorer.score(turn.id(), turn.counts, length, around, Window.texts(strength));
    }

    private @Nullable Turn known(@Nullable UUID id) {
        return id == null ? null : turns.get(id);
    }

    private static double add(@Nullable Turn neighbour, double weight, double[] around) {
        if (neighbour == null) {
            return 0;
        }
        for (int i = 0; i < around.length; i++) {
            around[i] += weight * neighbour.counts.body[i];
        }
        return weight * neighbour.counts.length;
    }
}
