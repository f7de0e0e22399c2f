package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.pool.PoolSnapshot.Ending;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.RunFailure;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.embedding.protocol.WorkerDrops;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an operator sees of the pool while it lives. */
class ViewTest {

    private PoolFixture pool = PoolFixture.withSlots(1);

    @AfterEach
    void nothingRemains() {
        pool.endsClean();
    }

    @Test
    void aSlotShowsItsAgeItsLoadsAndWhatTheLastOneShowed() {
        assertThat(pool.slot(0).load()).isNull();
        pool.warm(1);
        pool.clock.advance(Duration.ofSeconds(3));

        assertThat(pool.slot(0).ageNanos()).isEqualTo(Duration.ofSeconds(3).toNanos());
        assertThat(pool.slot(0).loads()).isEqualTo(1);
        assertThat(pool.slot(0).load()).isEqualTo(new PoolSnapshot.LoadView(false, 0.98, 1));

        pool.handle(new PoolEvent.RestartSlot(0));
        pool.worker(0).exit();
        assertThat(pool.slot(0).load()).as("nothing is loaded").isNull();
        pool.worker(0).ready();
        assertThat(pool.slot(0).loads()).isEqualTo(2);
    }

    @Test
    void ratesAreThoseOfTheLastTenSecondsAndZeroWhenIdle() {
        pool.warm(1);
        long first = pool.document("four", "and nine!");
        pool.worker(0).run();
        pool.worker(0).run();
        assertThat(pool.isSettled(first)).isTrue();
        assertThat(rows()).isEqualTo(0.2);
        assertThat(tokens()).isEqualTo(1.3);

        PoolSnapshot then = pool.snapshot();
        pool.clock.advance(Duration.ofSeconds(9));
        pool.query("x");
        pool.worker(0).run();
        assertThat(rows()).isEqualTo(0.3);
        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(rows()).as("the first second has left").isEqualTo(0.1);
        assertThat(then.rate().rowsPerSecond(pool.clock.nanoTime()))
                .as("an old picture goes on to the present")
                .isZero();
        pool.clock.advance(Duration.ofSeconds(10));
        assertThat(rows()).isZero();
        assertThat(tokens()).isZero();
    }

    @Test
    void whatAWorkerWasAskedAndHasNotAnsweredIsShown() {
        pool.warm(1);
        long unwanted = pool.query("a");
        assertThat(pool.slot(0).ending()).isNull();
        pool.cancel(unwanted);
        assertThat(pool.slot(0).ending()).isEqualTo(Ending.CANCELLING);
        pool.worker(0).start();
        pool.query("b");
        assertThat(pool.slot(0).ending()).isEqualTo(Ending.TERMINATING);
        assertThat(pool.notices).contains(new PoolNotice.RunTerminated(0, 1, PoolNotice.RunTerminated.Why.ABANDONED));

        pool.worker(0).acknowledgeTermination(0);
        pool.worker(0).run();
        assertThat(pool.slot(0).ending()).isNull();
    }

    @Test
    void everyWatchdogIsCountedByItsKind() {
        pool.handle(new PoolEvent.WarmUp(1));
        pool.clock.advance(Duration.ofMinutes(10));
        assertThat(pool.counter("expired_initialisations")).isEqualTo(1);
        pool.worker(0).exit();
        pool.clock.advance(Duration.ofSeconds(2));
        pool.worker(0).ready();

        pool.query("never started");
        pool.clock.advance(Duration.ofSeconds(10));
        assertThat(pool.counter("expired_dispatches")).isEqualTo(1);
        pool.worker(0).exit();
        pool.worker(0).ready();

        pool.worker(0).start();
        pool.clock.advance(Duration.ofMinutes(5));
        assertThat(pool.counter("expired_executions")).isEqualTo(1);
        assertThat(pool.notices).anyMatch(PoolNotice.WorkQuarantined.class::isInstance);
        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(pool.counter("unanswered_terminations")).isEqualTo(1);
        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(pool.counter("unconfirmed_exits")).isEqualTo(1);
    }

    @Test
    void debtAndWantOfMemoryAreTold() {
        pool.handle(new PoolEvent.WarmUp(1));
        pool.worker(0).failStart(StartFailure.RETRYABLE);
        assertThat(pool.notices)
                .contains(new PoolNotice.DebtGrew(0, 1, 1, Duration.ofSeconds(2).toNanos(), false));
        pool.clock.advance(Duration.ofSeconds(2));
        pool.worker(0).ready();

        pool.query("large");
        pool.worker(0).start();
        pool.worker(0).fail(RunFailure.OUT_OF_MEMORY);
        assertThat(pool.notices).contains(new PoolNotice.OutOfMemory(0, 2, 2_048));
        pool.worker(0).run();
    }

    @Test
    void aChargeFollowsTheLargestRunAndStaysWithAWorkerThatIsStuck() {
        pool = PoolFixture.withSlots(2);
        pool.handle(new PoolEvent.MemorySample(250L << 20));
        pool.warm(1);
        assertThat(pool.slot(0).chargedBytes()).isEqualTo(50L << 20);
        assertThat(pool.snapshot().gate().admitsStart()).isTrue();

        grow(200L << 20);
        grow(60L << 20);
        assertThat(pool.slot(0).chargedBytes()).as("it never becomes less").isEqualTo(200L << 20);
        assertThat(pool.snapshot().gate().nextBytes())
                .as("the next may grow as much")
                .isEqualTo(200L << 20);

        pool.query("one");
        pool.worker(0).start();
        pool.query("two");
        assertThat(pool.workersMade()).as("the gate is shut").isEqualTo(1);
        pool.clock.advance(Duration.ofMinutes(5));
        pool.clock.advance(Duration.ofSeconds(2));
        assertThat(pool.state(0)).isEqualTo(SlotState.STUCK);
        grow(210L << 20);
        assertThat(pool.snapshot().gate().chargedBytes()).isEqualTo(210L << 20);

        ScriptedWorker stuck = pool.worker(0);
        stuck.exit();
        assertThat(pool.slot(0).chargedBytes())
                .as("the worker after it, as large until it says otherwise")
                .isEqualTo(210L << 20);
        pool.say(new FromWorker.Grew(0, stuck.generation, 1L << 30));
        assertThat(pool.dropped("grew")).isEqualTo(1);
        assertThat(pool.slot(0).chargedBytes()).isEqualTo(210L << 20);
    }

    @Test
    void whatWorkersDropIsCountedOnceForEachGenerationHoweverOftenItIsTold() {
        pool.warm(1);
        pool.query("a");
        pool.worker(0).start(new WorkerDrops(1, 2, 3, 4, 5));
        pool.worker(0).start(new WorkerDrops(1, 2, 3, 4, 5));
        pool.worker(0).complete();
        pool.query("b");
        pool.worker(0).start(new WorkerDrops(1, 2, 3, 5, 5));
        pool.say(new FromWorker.Started(0, 1, 1, new WorkerDrops(0, 1, 0, 0, 0)));
        pool.say(new FromWorker.Started(0, 7, 1, new WorkerDrops(90, 90, 90, 90, 90)));
        pool.worker(0).complete();
        pool.handle(new PoolEvent.RestartSlot(0));
        pool.say(new FromWorker.Stopped(0, 1, new WorkerDrops(1, 2, 4, 5, 5)));
        pool.worker(0).exit();
        pool.worker(0).ready();
        pool.query("c");
        pool.worker(0).start(new WorkerDrops(1, 0, 0, 0, 0));

        assertThat(pool.snapshot().dropped())
                .containsEntry("worker-misdirected", 2L)
                .containsEntry("worker-repeated", 2L)
                .containsEntry("worker-late", 4L)
                .containsEntry("worker-cancelled", 5L)
                .containsEntry("worker-closed", 5L);
        pool.worker(0).complete();
    }

    private void grow(long bytes) {
        pool.say(new FromWorker.Grew(0, pool.slot(0).generation(), bytes));
    }

    private double rows() {
        return pool.snapshot().rate().rowsPerSecond(pool.clock.nanoTime());
    }

    private double tokens() {
        return pool.snapshot().rate().tokensPerSecond(pool.clock.nanoTime());
    }
}
