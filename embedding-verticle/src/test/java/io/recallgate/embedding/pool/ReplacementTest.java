package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.failure.FailureCode;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One model after another, and what comes in between. */
class ReplacementTest {

    private static final ModelIdentity N = new ModelIdentity("n", "f-n", 2, 512);
    private static final ModelIdentity X = new ModelIdentity("x", "f-x", 2, 512);
    private static final Duration DRAIN = PoolLimits.defaults(1).watchdogs().drain();

    private PoolFixture pool = PoolFixture.withSlots(2);

    @AfterEach
    void nothingRemains() {
        pool.endsClean();
    }

    @Test
    void a20AReplacementIsShownUntilEveryChargedSlotServesTheNewModel() {
        pool.warm(2);
        long running = pool.query("a");
        pool.worker(0).start();

        replaceBy("n");

        assertThat(view().from()).isEqualTo("m");
        assertThat(view().to()).isEqualTo("n");
        assertThat(view().slotsLeft()).isEqualTo(2);
        assertThat(pool.slot(0).outdated()).isTrue();
        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(view().ageNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
        pool.worker(1).exit();
        pool.worker(1).ready(N);
        assertThat(view().slotsLeft()).as("one still runs the old model").isEqualTo(1);
        assertThat(pool.notices).contains(new PoolNotice.ModelReplaced("m", "n"));

        pool.worker(0).complete();
        assertThat(pool.result(running).model()).isEqualTo(PoolFixture.MODEL);
        pool.worker(0).exit();
        assertThat(view().slotsLeft()).as("it loads the new one").isEqualTo(1);
        pool.worker(0).ready(N);
        assertThat(pool.snapshot().replacement()).isNull();
        assertThat(pool.slot(0).outdated()).isFalse();
    }

    @Test
    void a20AStuckWorkerOfTheOldModelStaysListedUntilItsThreadReturns() {
        pool.warm(2);
        pool.query("a");
        ScriptedWorker stuck = pool.worker(0);
        stuck.start();
        replaceBy("n");
        pool.worker(1).exit();
        pool.worker(1).ready(N);

        pool.clock.advance(DRAIN);
        pool.clock.advance(Duration.ofSeconds(4));

        assertThat(pool.state(0)).isEqualTo(SlotState.STUCK);
        assertThat(pool.slot(0).outdated()).isTrue();
        assertThat(view().slotsLeft()).isEqualTo(1);
        stuck.exit();
        if (pool.state(0) == SlotState.STARTING) {
            pool.worker(0).ready(N);
        }
        assertThat(pool.snapshot().replacement()).isNull();
    }

    @Test
    void a20ASecondReplacementSupersedesTheFirst() {
        pool = PoolFixture.withSlots(1);
        pool.warm(1);
        replaceBy("n");
        long waiting = pool.query("a");
        pool.worker(0).exit();
        ScriptedWorker ofN = pool.worker(0);

        replaceBy("x");
        ofN.ready(N);

        assertThat(pool.snapshot().identity()).as("n is not to serve any more").isNull();
        assertThat(ofN.dispatches).isEmpty();
        assertThat(ofN.retireAsked).isTrue();
        assertThat(view().to()).isEqualTo("x");
        ofN.exit();
        pool.worker(0).ready(X);
        pool.worker(0).run();
        assertThat(pool.result(waiting).model()).isEqualTo(X);
        assertThat(pool.notices).doesNotContain(new PoolNotice.ModelReplaced("m", "n"));
        assertThat(pool.notices).contains(new PoolNotice.ModelReplaced("n", "x"));
        assertThat(pool.snapshot().replacement()).isNull();
    }

    @Test
    void a20GoingBackWhileTheOldModelDrainsEndsThatWorkerAllTheSame() {
        pool = PoolFixture.withSlots(1);
        pool.warm(1);
        long running = pool.query("a");
        ScriptedWorker old = pool.worker(0);
        old.start();
        replaceBy("n");
        pool.handle(new PoolEvent.ReplaceModel("m", PoolFixture.MODEL.fingerprint()));
        long joined = pool.query("a");

        old.complete();

        assertThat(pool.result(running).model()).isEqualTo(PoolFixture.MODEL);
        assertThat(pool.isSettled(joined)).as("the same work of the same model").isTrue();
        assertThat(old.retireAsked).isTrue();
        assertThat(view().slotsLeft()).isEqualTo(1);
        old.exit();
        pool.worker(0).ready();
        assertThat(pool.snapshot().identity()).isEqualTo(PoolFixture.MODEL);
        assertThat(pool.snapshot().replacement()).isNull();
    }

    @Test
    void a20WhatAWorkerOfTheOldFilesFinishesIsNotKeptForARetryOnceTheNewOnesServe() {
        pool = PoolFixture.withSlots(2);
        pool.warm(2);
        long here = pool.query("here");
        pool.worker(0).start();
        long left = pool.query("left");
        ScriptedWorker old = pool.worker(1);
        old.start();
        pool.cancel(left);
        // The files of a directory are exchanged under way, and one worker is restarted with them.
        pool.handle(new PoolEvent.RestartSlot(0));
        pool.worker(0).complete();
        pool.worker(0).exit();
        ModelIdentity other = new ModelIdentity("m", "f-other", 2, 512);
        pool.worker(0).ready(other);
        old.complete();

        long again = pool.query("left");

        assertThat(pool.isSettled(here)).isTrue();
        assertThat(pool.isSettled(again))
                .as("what the old files made is not used")
                .isFalse();
        pool.worker(0).run();
        assertThat(pool.result(again).model()).isEqualTo(other);
    }

    @Test
    void a20OtherFilesUnderTheSameNameAreAnotherModel() {
        pool = PoolFixture.withSlots(1);
        pool.warm(1);
        long before = pool.query("a");
        ScriptedWorker old = pool.worker(0);
        old.start();

        pool.handle(new PoolEvent.ReplaceModel("m", "f-other"));
        long after = pool.query("a");
        old.complete();

        assertThat(pool.isSettled(before)).isTrue();
        assertThat(pool.isSettled(after))
                .as("it does not join the work of the old files")
                .isFalse();
        old.exit();
        ModelIdentity other = new ModelIdentity("m", "f-other", 2, 512);
        pool.worker(0).ready(other);
        pool.worker(0).run();
        assertThat(pool.result(after).model()).isEqualTo(other);
    }

    @Test
    void a20WhatAnOldWorkerDoesWrongIsNotOwedByTheNewModel() {
        pool = PoolFixture.withSlots(1);
        pool.handle(new PoolEvent.WarmUp(1));
        ScriptedWorker old = pool.worker(0);
        replaceBy("n");

        old.failStart(StartFailure.TERMINAL);

        assertThat(pool.slot(0).debt()).isZero();
        assertThat(pool.snapshot().startTrouble()).isNull();
        assertThat(pool.state(0)).as("the new model starts at once").isEqualTo(SlotState.STARTING);
        pool.worker(0).ready(N);
        assertThat(pool.snapshot().identity()).isEqualTo(N);
    }

    @Test
    void aNewModelThatDoesNotStartIsOwedForAndShownAndNothingFallsBack() {
        pool = PoolFixture.withSlots(1);
        pool.warm(1);
        replaceBy("n");
        pool.worker(0).exit();

        pool.worker(0).failStart(StartFailure.TERMINAL);

        assertThat(pool.slot(0).debt()).isEqualTo(1);
        assertThat(pool.snapshot().startTrouble())
                .isEqualTo(new PoolSnapshot.StartTrouble(StartFailure.TERMINAL, "scripted"));
        assertThat(view().to()).isEqualTo("n");
        assertThat(pool.code(pool.query("a"))).isEqualTo(FailureCode.MODEL_UNUSABLE);

        pool.handle(new PoolEvent.ReplaceModel("m", PoolFixture.MODEL.fingerprint()));
        assertThat(pool.snapshot().startTrouble()).isNull();
        pool.worker(0).ready();
        assertThat(pool.snapshot().replacement()).isNull();
        assertThat(pool.snapshot().identity()).isEqualTo(PoolFixture.MODEL);
    }

    @Test
    void workThatALostThreadHasIsNotRunBesideItForAThirdModelEither() {
        pool.warm(2);
        pool.query("plug");
        pool.worker(0).start();
        pool.query("plug too");
        pool.worker(1).start();
        long[] waiters = {pool.document("a"), pool.document("b")};
        ScriptedWorker lost = pool.worker(0);
        lost.complete();
        lost.start();
        assertThat(lost.last().parts()).hasSize(2);
        replaceBy("n");
        pool.worker(1).complete();
        pool.worker(1).exit();
        pool.clock.advance(DRAIN);
        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(pool.state(0)).isEqualTo(SlotState.RETIRING);

        replaceBy("x");
        pool.worker(1).exit();
        pool.worker(1).ready(X);
        assertThat(pool.worker(1).dispatches).as("its thread has not returned").isEmpty();

        lost.exit();
        pool.worker(1).run();
        pool.worker(1).run();
        for (long waiter : waiters) {
            assertThat(pool.result(waiter).model()).isEqualTo(X);
        }
        pool.worker(0).ready(X);
    }

    @Test
    void a19AShutdownJoinsAReplacementAndALateOneChangesNothing() {
        pool.warm(2);
        pool.query("a");
        pool.worker(0).start();
        replaceBy("n");
        pool.worker(1).exit();
        int made = pool.workersMade();

        pool.handle(new PoolEvent.Shutdown());
        replaceBy("x");

        assertThat(view().to()).isEqualTo("n");
        assertThat(pool.code(pool.query("b"))).isEqualTo(FailureCode.SHUTTING_DOWN);
        pool.worker(0).complete();
        pool.worker(0).exit();
        pool.worker(1).ready(N);
        pool.worker(1).exit();
        assertThat(pool.workersMade()).isEqualTo(made);
        assertThat(pool.reports.get(0).isClean()).isTrue();
    }

    private void replaceBy(String model) {
        pool.handle(new PoolEvent.ReplaceModel(model, "f-" + model));
    }

    private PoolSnapshot.ReplacementView view() {
        return Objects.requireNonNull(pool.snapshot().replacement());
    }
}
