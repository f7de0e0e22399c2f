package io.recallgate.embedding.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class NativeGateTest {

    private final NativeGate gate = new NativeGate();
    private final AtomicInteger freed = new AtomicInteger();

    @Test
    void aShutdownInterruptsTheRunWaitsForItsThreadAndFreesOnce() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicInteger freedBeforeLeaving = new AtomicInteger(-1);
        Thread runner = new Thread(() -> {
            gate.enter("run");
            gate.register(resource(interrupted));
            inside.countDown();
            await(interrupted);
            freedBeforeLeaving.set(freed.get());
            gate.leave();
        });
        runner.start();
        inside.await();

        NativeGate.Report report = gate.shutdown(in(60_000));

        assertThat(report).isEqualTo(new NativeGate.Report(1, java.util.List.of()));
        assertThat(freedBeforeLeaving).hasValue(0);
        assertThat(gate.shutdown(in(0)).isClean()).isTrue();
        assertThat(freed).hasValue(1);
        runner.join();
    }

    @Test
    void aThreadThatDoesNotReturnIsReportedAndNothingIsFreed() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Thread stuck = new Thread(
                () -> {
                    gate.enter("loading tiny");
                    gate.register(resource(new CountDownLatch(1)));
                    inside.countDown();
                    await(release);
                    gate.leave();
                },
                "stuck-thread");
        stuck.start();
        inside.await();

        NativeGate.Report report = gate.shutdown(in(50));

        assertThat(report.isClean()).isFalse();
        assertThat(report.stuck()).containsExactly("stuck-thread in loading tiny");
        assertThat(freed).hasValue(0);
        release.countDown();
        stuck.join();
        assertThat(gate.shutdown(in(0)).freed()).isEqualTo(1);
    }

    @Test
    void afterAShutdownNobodyEntersAndNoOwnerFreesASecondTime() {
        NativeGate.Resource resource = resource(new CountDownLatch(1));
        gate.register(resource);
        gate.shutdown(in(0));

        assertThatThrownBy(() -> gate.enter("run"))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.SHUTTING_DOWN));
        assertThat(gate.enterToFree(resource)).isFalse();
        assertThat(freed).hasValue(1);
    }

    @Test
    void aResourceThatItsOwnerFreedIsNotFreedAgain() {
        NativeGate.Resource resource = resource(new CountDownLatch(1));
        gate.register(resource);

        assertThat(gate.enterToFree(resource)).isTrue();
        gate.leave();

        assertThat(gate.enterToFree(resource)).isFalse();
        assertThat(gate.shutdown(in(0)).freed()).isZero();
    }

    @Test
    void aResourceRegisteredWhileTheGateClosesIsStillInterrupted() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread late = new Thread(() -> {
            gate.enter("loading");
            inside.countDown();
            await(proceed);
            gate.register(resource(interrupted));
            gate.leave();
        });
        late.start();
        inside.await();
        assertThat(gate.shutdown(in(0)).isClean()).isFalse();

        proceed.countDown();

        interrupted.await();
        late.join();
        assertThat(gate.shutdown(in(0)).freed()).isEqualTo(1);
    }

    private static Deadline in(long millis) {
        return Deadline.afterMillis(SystemClock.INSTANCE, millis);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private NativeGate.Resource resource(CountDownLatch interrupted) {
        return new NativeGate.Resource() {
            @Override
            public void interruptRun() {
                interrupted.countDown();
            }

            @Override
            public void free() {
                freed.incrementAndGet();
            }
        };
    }
}
