package io.recallgate.gateway.conversation.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.gateway.conversation.admission.Admission.Effect;
import io.recallgate.gateway.conversation.admission.Admission.Effect.Admit;
import io.recallgate.gateway.conversation.admission.Admission.Effect.Refuse;
import io.recallgate.gateway.conversation.admission.Admission.Why;
import io.recallgate.recall.api.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionTest {

    private static final Scope ANA = new Scope("ana", "");
    private static final Scope BEN = new Scope("ben", "");
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    /** Near the wrap-around, as a monotonic clock may be. */
    private static final long NOW = Long.MAX_VALUE - 5 * MILLI;

    private static final AdmissionLimits SMALL = new AdmissionLimits(3, 2, 1, 4, 3, 2, 10);

    private final Admission admission = new Admission(SMALL);

    @Test
    void aTurnWithRoomHasItsPlaceAtOnceAndTheNextOneWaitsForIt() {
        assertThat(admission.arrived(1, ANA, "s", NOW)).containsExactly(new Admit(1));
        assertThat(admission.arrived(2, ANA, "s", NOW)).isEmpty();
        assertThat(admission.arrived(3, ANA, "s", NOW)).isEmpty();

        assertThat(admission.left(1)).containsExactly(new Admit(2));
        assertThat(admission.left(2)).containsExactly(new Admit(3));
        assertThat(admission.left(3)).isEmpty();
        assertThat(admission.isEmpty()).isTrue();
    }

    @Test
    void nobodyWaitsBehindSomebodyElsesBound() {
        admission.arrived(1, ANA, "s", NOW);
        assertThat(admission.arrived(2, ANA, "s", NOW))
                .as("its session is busy")
                .isEmpty();
        assertThat(admission.arrived(3, ANA, "t", NOW)).containsExactly(new Admit(3));
        assertThat(admission.arrived(4, ANA, "u", NOW)).as("its owner has two").isEmpty();
        assertThat(admission.arrived(5, BEN, "s", NOW))
                .as("another's session of the same name")
                .containsExactly(new Admit(5));
        assertThat(admission.arrived(6, BEN, null, NOW)).as("there are three").isEmpty();

        assertThat(admission.left(3))
                .as("ana has one more than ben's none, but came first among equals")
                .containsExactly(new Admit(4));
    }

    @Test
    void theOwnerWithTheFewestActiveGoesFirst() {
        admission.arrived(1, ANA, null, NOW);
        admission.arrived(2, ANA, null, NOW);
        admission.arrived(3, BEN, null, NOW);
        assertThat(admission.arrived(4, ANA, null, NOW)).isEmpty();
        assertThat(admission.arrived(5, BEN, null, NOW)).isEmpty();
        assertThat(admission.arrived(6, new Scope("cem", ""), null, NOW)).isEmpty();

        assertThat(admission.left(1)).containsExactly(new Admit(6));
    }

    @Test
    void sessionsOfTwoProjectsAreTwo() {
        admission.arrived(1, ANA, "s", NOW);

        assertThat(admission.arrived(2, new Scope("ana", "atlas"), "s", NOW)).containsExactly(new Admit(2));
    }

    @Test
    void whatMayNotWaitIsRefusedByTheNearestBound() {
        admission.arrived(1, ANA, "s", NOW);
        admission.arrived(2, ANA, "s", NOW);
        admission.arrived(3, ANA, "s", NOW);
        assertThat(admission.arrived(4, ANA, "s", NOW)).containsExactly(new Refuse(4, Why.SESSION_FULL));
        admission.arrived(5, ANA, null, NOW);
        assertThat(admission.arrived(6, ANA, null, NOW)).isEmpty();
        assertThat(admission.arrived(7, ANA, null, NOW)).containsExactly(new Refuse(7, Why.OWNER_FULL));
        admission.arrived(8, BEN, "s", NOW);
        assertThat(admission.arrived(9, BEN, "s", NOW)).isEmpty();
        assertThat(admission.arrived(10, BEN, null, NOW)).containsExactly(new Refuse(10, Why.FULL));
    }

    @Test
    void whoHasWaitedLongEnoughIsRefusedAndTheOthersGoOnWaiting() {
        admission.arrived(1, ANA, "s", NOW);
        admission.arrived(2, ANA, "s", NOW);
        admission.arrived(3, ANA, "s", NOW + 4 * MILLI);
        assertThat(admission.wakeAt()).hasValue(NOW + 10 * MILLI);

        assertThat(admission.timeIsUp(NOW + 9 * MILLI)).isEmpty();
        assertThat(admission.timeIsUp(NOW + 10 * MILLI)).containsExactly(new Refuse(2, Why.WAITED));
        assertThat(admission.wakeAt()).hasValue(NOW + 14 * MILLI);
        assertThat(admission.left(1)).containsExactly(new Admit(3));
        assertThat(admission.wakeAt()).isEmpty();
    }

    @Test
    void whoLeavesWhileWaitingGivesHisTurnAway() {
        admission.arrived(1, ANA, "s", NOW);
        admission.arrived(2, ANA, "s", NOW);
        admission.arrived(3, ANA, "s", NOW);

        assertThat(admission.left(2)).isEmpty();
        assertThat(admission.left(2)).as("again").isEmpty();
        assertThat(admission.left(1)).containsExactly(new Admit(3));
    }

    @Test
    void aNumberIsUsedOnce() {
        admission.arrived(1, ANA, null, NOW);

        assertThatThrownBy(() -> admission.arrived(1, BEN, null, NOW)).isInstanceOf(IllegalStateException.class);
    }

    /** Random arrivals, departures and waits, held against a model that counts by itself. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34})
    void inAnyOrderOfEventsBoundsHoldNobodyIsForgottenAndSessionsKeepTheirOrder(long seed) {
        for (long run = 0; run < 250; run++) {
            new Simulation(seed * 1_000_003 + run).run();
        }
    }

    private record Turn(long id, Scope scope, String session) {
        private String key() {
            return scope + "/" + session;
        }
    }

    private static final class Simulation {

        private final long seed;
        private final Random random;
        private final AdmissionLimits limits;
        private final Admission admission;
        private final Map<Long, Turn> waiting = new LinkedHashMap<>();
        private final Map<Long, Turn> active = new LinkedHashMap<>();
        private final Map<String, Long> lastAdmitted = new HashMap<>();
        private long now = NOW;
        private long ids;

        Simulation(long seed) {
            this.seed = seed;
            random = new Random(seed);
            limits = new AdmissionLimits(
                    1 + random.nextInt(6),
                    1 + random.nextInt(4),
                    1 + random.nextInt(3),
                    random.nextInt(8),
                    random.nextInt(6),
                    random.nextInt(4),
                    1 + random.nextInt(20));
            admission = new Admission(limits);
        }

        void run() {
            for (int step = 0; step < 200; step++) {
                step();
            }
            List<Long> all = new ArrayList<>(waiting.keySet());
            all.forEach(id -> {
                waiting.remove(id);
                take(admission.left(id));
            });
            while (!active.isEmpty()) {
                leave(active.keySet().iterator().next());
            }
            assertThat(admission.isEmpty()).as("seed %d", seed).isTrue();
            assertThat(admission.wakeAt()).as("seed %d", seed).isEmpty();
        }

        private void step() {
            switch (random.nextInt(5)) {
                case 0, 1 -> arrive();
                case 2 -> any(active).ifPresent(this::leave);
                case 3 ->
                    any(waiting).ifPresent(id -> {
                        waiting.remove(id);
                        take(admission.left(id));
                    });
                default -> {
                    now += random.nextInt(8) * MILLI;
                    if (admission.wakeAt().isPresent() && admission.wakeAt().getAsLong() - now <= 0) {
                        take(admission.timeIsUp(now));
                    }
                }
            }
            check();
        }

        private void arrive() {
            Turn turn = new Turn(
                    ++ids,
                    new Scope("owner" + random.nextInt(3), "p" + random.nextInt(2)),
                    random.nextInt(4) == 0 ? "" : "s" + random.nextInt(2));
            waiting.put(turn.id(), turn);
            take(admission.arrived(turn.id(), turn.scope(), turn.session().isEmpty() ? null : turn.session(), now));
        }

        private void leave(long id) {
            active.remove(id);
            take(admission.left(id));
        }

        private void take(List<Effect> effects) {
            for (Effect effect : effects) {
                Turn turn = waiting.remove(effect.turn());
                assertThat(turn)
                        .as("seed %d: %s is about one that waits", seed, effect)
                        .isNotNull();
                if (effect instanceof Admit) {
                    active.put(turn.id(), turn);
                    if (!turn.session().isEmpty()) {
                        Long before = lastAdmitted.put(turn.key(), turn.id());
                        assertThat(before == null || before < turn.id())
                                .as("seed %d: %s in order", seed, turn)
                                .isTrue();
                    }
                }
            }
        }

        private void check() {
            assertThat(admission.active()).as("seed %d", seed).isEqualTo(active.size());
            assertThat(admission.waiting()).as("seed %d", seed).isEqualTo(waiting.size());
            assertThat(active.size()).as("seed %d", seed).isLessThanOrEqualTo(limits.active());
            assertThat(waiting.size()).as("seed %d", seed).isLessThanOrEqualTo(limits.waiting());
            assertThat(most(active, turn -> turn.scope().owner()))
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(limits.activePerOwner());
            assertThat(most(active, turn -> turn.session().isEmpty() ? "none" + turn.id() : turn.key()))
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(limits.activePerSession());
            // Whoever waits has no room: nobody is forgotten.
            waiting.values().forEach(turn -> assertThat(hasRoom(turn))
                    .as("seed %d: %s could run", seed, turn)
                    .isFalse());
        }

        private boolean hasRoom(Turn turn) {
            return active.size() < limits.active()
                    && active.values().stream()
                                    .filter(other -> other.scope()
                                            .owner()
                                            .equals(turn.scope().owner()))
                                    .count()
                            < limits.activePerOwner()
                    && (turn.session().isEmpty()
                            || active.values().stream()
                                            .filter(other -> other.key().equals(turn.key()))
                                            .count()
                                    < limits.activePerSession());
        }

        private static int most(Map<Long, Turn> turns, Function<Turn, String> key) {
            Map<String, Integer> counts = new HashMap<>();
            turns.values().forEach(turn -> counts.merge(key.apply(turn), 1, Integer::sum));
            return counts.values().stream().max(Comparator.naturalOrder()).orElse(0);
        }

        private Optional<Long> any(Map<Long, Turn> turns) {
            return turns.isEmpty()
                    ? Optional.empty()
                    : Optional.of(List.copyOf(turns.keySet()).get(random.nextInt(turns.size())));
        }
    }
}
