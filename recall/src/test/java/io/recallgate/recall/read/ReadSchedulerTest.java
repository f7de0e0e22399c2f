package io.recallgate.recall.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.recall.read.ReadScheduler.Deliver;
import io.recallgate.recall.read.ReadScheduler.Effect;
import io.recallgate.recall.read.ReadScheduler.Ending;
import io.recallgate.recall.read.ReadScheduler.Release;
import io.recallgate.recall.read.ReadScheduler.Retire;
import io.recallgate.recall.read.ReadScheduler.Settle;
import io.recallgate.recall.read.ReadScheduler.Start;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReadSchedulerTest {

    private static final long MILLI = 1_000_000;
    private static final ReadLimits LIMITS = new ReadLimits(2, 6, 1_000, 3, 300, 4, 100 * MILLI, 10_000 * MILLI, 1);

    private final ReadScheduler scheduler = new ReadScheduler(LIMITS);

    @Test
    void eachWorkerRunsOneJobAndTheNextOneWaits() {
        assertThat(submit(1, Lane.FOREGROUND)).containsExactly(new Start(1, 1));
        assertThat(submit(2, Lane.FOREGROUND)).containsExactly(new Start(2, 2));
        assertThat(submit(3, Lane.FOREGROUND)).isEmpty();
        assertThat(scheduler.returned(2, 2, 0)).containsExactly(new Deliver(2), new Start(2, 3));
        assertThat(scheduler.returned(2, 3, 0)).containsExactly(new Deliver(3));
        assertThat(scheduler.returned(1, 1, 0)).containsExactly(new Deliver(1));
        assertThat(scheduler.isQuiet()).isTrue();
        assertThat(scheduler.wakeAt()).isEmpty();
    }

    @Test
    void theQueueIsBoundedInJobsAndBytesAndBackgroundHasLess() {
        occupy();
        assertThat(submit(3, Lane.BACKGROUND, 100)).isEmpty();
        assertThat(submit(4, Lane.BACKGROUND, 200)).isEmpty();
        // One byte beyond what background may have, and then one job beyond.
        assertThat(submit(5, Lane.BACKGROUND, 1)).containsExactly(new Settle(5, Ending.OVERLOADED));
        assertThat(submit(6, Lane.BACKGROUND, 0)).isEmpty();
        assertThat(submit(7, Lane.BACKGROUND, 0)).containsExactly(new Settle(7, Ending.OVERLOADED));
        // The foreground has what is left of all.
        assertThat(submit(8, Lane.FOREGROUND, 701)).containsExactly(new Settle(8, Ending.OVERLOADED));
        assertThat(submit(9, Lane.FOREGROUND, 700)).isEmpty();
        assertThat(submit(10, Lane.FOREGROUND, 0)).isEmpty();
        assertThat(submit(11, Lane.FOREGROUND, 0)).isEmpty();
        assertThat(submit(12, Lane.FOREGROUND, 0)).containsExactly(new Settle(12, Ending.OVERLOADED));
        // Whoever leaves gives its place and its bytes back.
        assertThat(scheduler.left(9, 0)).containsExactly(new Settle(9, Ending.CANCELLED));
        assertThat(submit(13, Lane.FOREGROUND, 700)).isEmpty();
        assertThat(scheduler.waiting(Lane.FOREGROUND)).isEqualTo(3);
        assertThat(scheduler.waitingBytes(Lane.FOREGROUND)).isEqualTo(700);
    }

    @Test
    void aJobLargerThanTheWholeQueueIsTakenWhenNoOtherWaits() {
        occupy();
        assertThat(submit(3, Lane.FOREGROUND, 5_000)).isEmpty();
        assertThat(submit(4, Lane.FOREGROUND, 1)).containsExactly(new Settle(4, Ending.OVERLOADED));
    }

    @Test
    void theForegroundGoesFirstFourTimesAndThenTheBackgroundOnce() {
        ReadScheduler one = new ReadScheduler(LIMITS.with(1, 20));
        List<Effect> started = new ArrayList<>(one.submit(1, Lane.FOREGROUND, 0, soon(), 0));
        one.submit(100, Lane.BACKGROUND, 0, soon(), 0);
        one.submit(101, Lane.BACKGROUND, 0, soon(), 0);
        for (long id = 2; id <= 11; id++) {
            one.submit(id, Lane.FOREGROUND, 0, soon(), 0);
        }
        List<Long> order = new ArrayList<>();
        Long running = 1L;
        while (running != null) {
            order.add(running);
            started = one.returned(1, running, 0);
            running = null;
            for (Effect effect : started) {
                if (effect instanceof Start start) {
                    running = start.job();
                }
            }
        }
        // The first one ran before any background waited.
        assertThat(order).containsExactly(1L, 2L, 3L, 4L, 5L, 100L, 6L, 7L, 8L, 9L, 101L, 10L, 11L);
    }

    @Test
    void theDeadlineCountsTheWait() {
        occupy();
        scheduler.submit(3, Lane.FOREGROUND, 0, 50 * MILLI, 0);
        assertThat(scheduler.wakeAt()).hasValue(50 * MILLI);
        assertThat(scheduler.timeIsUp(50 * MILLI)).containsExactly(new Settle(3, Ending.EXPIRED));
        assertThat(scheduler.returned(1, 1, 51 * MILLI)).containsExactly(new Deliver(1));
        assertThat(scheduler.submit(4, Lane.FOREGROUND, 0, 51 * MILLI, 51 * MILLI))
                .containsExactly(new Settle(4, Ending.EXPIRED));
    }

    @Test
    void aJobThatBecameLateWhileItWaitedIsNotStarted() {
        occupy();
        scheduler.submit(3, Lane.FOREGROUND, 0, 50 * MILLI, 0);
        assertThat(scheduler.returned(1, 1, 60 * MILLI)).containsExactly(new Deliver(1), new Settle(3, Ending.EXPIRED));
    }

    @Test
    void aRunningJobsCallerIsAnsweredAtTheDeadlineAndItsResultDropped() {
        scheduler.submit(1, Lane.FOREGROUND, 0, 50 * MILLI, 0);
        assertThat(scheduler.timeIsUp(50 * MILLI)).containsExactly(new Settle(1, Ending.EXPIRED));
        // It came back within the grace: late, and no reason to retire anybody.
        assertThat(scheduler.returned(1, 1, 149 * MILLI)).isEmpty();
        assertThat(scheduler.retired()).isZero();
        assertThat(submit(2, Lane.FOREGROUND)).containsExactly(new Start(1, 2));
    }

    @Test
    void aWorkerThatDoesNotReturnIsRetiredAndReplacedAndCountsUntilItIsBack() {
        scheduler.submit(1, Lane.FOREGROUND, 0, 50 * MILLI, 0);
        scheduler.timeIsUp(50 * MILLI);
        assertThat(scheduler.wakeAt()).hasValue(150 * MILLI);
        assertThat(scheduler.timeIsUp(149 * MILLI)).isEmpty();
        assertThat(scheduler.timeIsUp(150 * MILLI)).containsExactly(new Retire(1, 1));
        assertThat(scheduler.retired()).isEqualTo(1);
        // Two go on, as before.
        assertThat(submit(2, Lane.FOREGROUND)).containsExactly(new Start(2, 2));
        assertThat(submit(3, Lane.FOREGROUND)).containsExactly(new Start(3, 3));
        assertThat(scheduler.returned(1, 1, 900 * MILLI)).isEmpty();
        assertThat(scheduler.retired()).isZero();
    }

    @Test
    void replacementsAreBoundedAndComeBackWithTheThreads() {
        for (long id = 1; id <= 2; id++) {
            scheduler.submit(id, Lane.FOREGROUND, 0, 50 * MILLI, 0);
        }
        assertThat(scheduler.timeIsUp(150 * MILLI))
                .containsExactlyInAnyOrder(
                        new Retire(1, 1),
                        new Retire(2, 2),
                        new Settle(1, Ending.EXPIRED),
                        new Settle(2, Ending.EXPIRED));
        // One replacement is allowed, so that one of two is left.
        assertThat(started(scheduler.submit(3, Lane.FOREGROUND, 0, soon(), 150 * MILLI)))
                .hasSize(1);
        assertThat(started(scheduler.submit(4, Lane.FOREGROUND, 0, soon(), 150 * MILLI)))
                .isEmpty();
        assertThat(started(scheduler.returned(1, 1, 200 * MILLI))).hasSize(1);
        assertThat(scheduler.retired()).isEqualTo(1);
    }

    @Test
    void withEveryWorkerRetiredAndNoReplacementLeftWhatWaitsIsAnsweredAtItsDeadline() {
        ReadScheduler one = new ReadScheduler(new ReadLimits(1, 6, 1_000, 3, 300, 4, 100 * MILLI, 10_000 * MILLI, 0));
        one.submit(1, Lane.FOREGROUND, 0, 50 * MILLI, 0);
        one.timeIsUp(150 * MILLI);
        assertThat(one.submit(2, Lane.FOREGROUND, 0, 400 * MILLI, 150 * MILLI)).isEmpty();
        assertThat(one.wakeAt()).hasValue(400 * MILLI);
        assertThat(one.timeIsUp(400 * MILLI)).containsExactly(new Settle(2, Ending.EXPIRED));
    }

    @Test
    void slownessIsNoFailure() {
        // Longer than any job should run, and yet within its deadline: its worker is given up, its result is not.
        scheduler.submit(1, Lane.FOREGROUND, 0, 60_000 * MILLI, 0);
        assertThat(scheduler.timeIsUp(10_000 * MILLI)).containsExactly(new Retire(1, 1));
        assertThat(scheduler.returned(1, 1, 30_000 * MILLI)).containsExactly(new Deliver(1));
    }

    @Test
    void whoeverLeavesARunningJobIsAnsweredAndTheResultIsDropped() {
        submit(1, Lane.FOREGROUND);
        assertThat(scheduler.left(1, 0)).containsExactly(new Settle(1, Ending.CANCELLED));
        assertThat(scheduler.left(1, 0)).isEmpty();
        assertThat(scheduler.returned(1, 1, 0)).isEmpty();
        assertThat(scheduler.left(1, 0)).isEmpty();
    }

    @Test
    void aCloseSettlesAllAndLetsThreadsGoAsTheyReturn() {
        submit(1, Lane.FOREGROUND);
        scheduler.submit(2, Lane.BACKGROUND, 0, soon(), 0);
        submit(3, Lane.FOREGROUND);
        scheduler.returned(2, 2, 0);
        scheduler.returned(2, 3, 0);
        submit(4, Lane.FOREGROUND);
        submit(5, Lane.BACKGROUND);
        scheduler.returned(2, 4, 0);
        scheduler.returned(2, 5, 0);
        assertThat(scheduler.close()).containsExactly(new Settle(1, Ending.CLOSED), new Release(2));
        assertThat(scheduler.close()).isEmpty();
        assertThat(submit(6, Lane.FOREGROUND)).containsExactly(new Settle(6, Ending.CLOSED));
        assertThat(scheduler.returned(1, 1, 0)).containsExactly(new Release(1));
        assertThat(scheduler.isQuiet()).isTrue();
        assertThat(scheduler.wakeAt()).isEmpty();
    }

    @Test
    void aReturnFromWhereNobodyWasSentIsADefect() {
        submit(1, Lane.FOREGROUND);
        assertThatThrownBy(() -> scheduler.returned(2, 1, 0)).isInstanceOf(IllegalStateException.class);
    }

    /** Random arrivals, departures, returns, stuck threads and time, from a seed that a failure prints. */
    @Test
    void everyCourseSettlesEachJobOnceWithinTheBoundsAndEndsAtRest() {
        for (int seed = 0; seed < 3_000; seed++) {
            try {
                new Course(seed).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    /** One random course. */
    private static final class Course {
        private final Random random;
        private final ReadScheduler subject = new ReadScheduler(LIMITS);
        private final Map<Long, Long> atWork = new LinkedHashMap<>();
        private final Set<Long> open = new HashSet<>();
        private final Map<Long, Long> deadlines = new HashMap<>();
        private final Set<Long> retired = new HashSet<>();
        private long now;
        private long jobs;

        private Course(int seed) {
            random = new Random(seed);
        }

        private void run() {
            for (int step = 0; step < 120; step++) {
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> arrive();
                    case 3 -> leave();
                    case 4, 5 -> comeBack();
                    default -> pass(random.nextInt(80) * MILLI);
                }
                check();
            }
            boolean closes = random.nextBoolean();
            if (closes) {
                perform(subject.close());
            }
            for (int i = 0; i < 10 && !(atWork.isEmpty() && subject.wakeAt().isEmpty()); i++) {
                while (!atWork.isEmpty()) {
                    comeBack();
                }
                pass(60_000 * MILLI);
            }
            assertThat(open).isEmpty();
            assertThat(subject.wakeAt()).isEmpty();
            assertThat(subject.isQuiet()).isTrue();
            assertThat(subject.retired()).isZero();
            for (Lane lane : Lane.values()) {
                assertThat(subject.waiting(lane)).isZero();
                assertThat(subject.waitingBytes(lane)).isZero();
            }
        }

        private void arrive() {
            long id = ++jobs;
            open.add(id);
            deadlines.put(id, now + random.nextInt(300) * MILLI);
            Lane lane = random.nextInt(3) == 0 ? Lane.BACKGROUND : Lane.FOREGROUND;
            perform(subject.submit(id, lane, random.nextInt(400), deadlines.get(id), now));
        }

        private void leave() {
            if (jobs > 0) {
                perform(subject.left(1 + random.nextInt((int) jobs), now));
            }
        }

        private void comeBack() {
            if (!atWork.isEmpty()) {
                List<Long> workers = List.copyOf(atWork.keySet());
                long worker = workers.get(random.nextInt(workers.size()));
                long job = atWork.remove(worker);
                retired.remove(worker);
                perform(subject.returned(worker, job, now));
            }
        }

        private void pass(long nanos) {
            long until = now + nanos;
            for (OptionalLong wake = subject.wakeAt();
                    wake.isPresent() && wake.getAsLong() <= until;
                    wake = subject.wakeAt()) {
                now = Math.max(now, wake.getAsLong());
                perform(subject.timeIsUp(now));
            }
            now = until;
        }

        private void perform(List<Effect> effects) {
            for (Effect effect : effects) {
                if (effect instanceof Start start) {
                    assertThat(atWork.put(start.worker(), start.job())).isNull();
                    assertThat(retired).doesNotContain(start.worker());
                    assertThat(open).contains(start.job());
                    assertThat(deadlines.get(start.job())).isGreaterThan(now);
                } else if (effect instanceof Deliver deliver) {
                    assertThat(open.remove(deliver.job())).isTrue();
                } else if (effect instanceof Settle settle) {
                    assertThat(open.remove(settle.job())).isTrue();
                } else if (effect instanceof Retire retire) {
                    assertThat(atWork).containsEntry(retire.worker(), retire.job());
                    retired.add(retire.worker());
                }
            }
        }

        private void check() {
            assertThat(subject.retired()).isEqualTo(retired.size());
            assertThat(atWork.size() - retired.size()).isBetween(0, LIMITS.workers());
            assertThat(subject.running()).isEqualTo(atWork.size() - retired.size());
            assertThat(atWork.size()).isLessThanOrEqualTo(LIMITS.workers() + LIMITS.replacements());
            assertThat(subject.waiting(Lane.FOREGROUND) + subject.waiting(Lane.BACKGROUND))
                    .isLessThanOrEqualTo(LIMITS.queueJobs());
            assertThat(subject.waiting(Lane.BACKGROUND)).isLessThanOrEqualTo(LIMITS.backgroundJobs());
            // Nobody waits past the deadline.
            open.forEach(id -> assertThat(deadlines.get(id)).isGreaterThanOrEqualTo(now - 80 * MILLI));
        }
    }

    private void occupy() {
        submit(1, Lane.FOREGROUND);
        submit(2, Lane.FOREGROUND);
    }

    private List<Effect> submit(long id, Lane lane) {
        return submit(id, lane, 0);
    }

    private List<Effect> submit(long id, Lane lane, long bytes) {
        return scheduler.submit(id, lane, bytes, soon(), 0);
    }

    private static List<Start> started(List<Effect> effects) {
        return effects.stream()
                .filter(Start.class::isInstance)
                .map(Start.class::cast)
                .toList();
    }

    private static long soon() {
        return 1_000 * MILLI;
    }
}
