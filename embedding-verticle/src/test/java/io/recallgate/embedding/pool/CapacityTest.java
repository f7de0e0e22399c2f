package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Cases A9, A15, A23 and A24a: everything is charged, and everything is bounded. */
class CapacityTest {

    private PoolFixture pool = PoolFixture.withSlots(1);

    @AfterEach
    void nothingRemains() {
        pool.endsClean();
    }

    @Test
    void a9ARetiringWorkerStaysChargedAndNothingIsDispatchedBesideIt() {
        pool.warm(1);
        ScriptedWorker old = pool.worker(0);
        pool.handle(new PoolEvent.RestartSlot(0));
        assertThat(pool.state(0)).isEqualTo(SlotState.RETIRING);
        assertThat(pool.snapshot().gate().chargedBytes()).isEqualTo(50L << 20);
        long a = pool.query("a");
        assertThat(old.dispatches).isEmpty();
        assertThat(pool.workersMade()).isEqualTo(1);
        assertThat(pool.isSettled(a)).isFalse();

        old.exit();
        pool.worker(0).ready();
        pool.worker(0).run();
        assertThat(pool.isSettled(a)).isTrue();
        assertThat(pool.slot(0).generation()).isEqualTo(2);
    }

    @Test
    void a9LiveRetiringAndStuckWorkersTogetherStayWithinTheMemoryBudget() {
        pool = PoolFixture.withSlots(3);
        pool.handle(new PoolEvent.MemorySample(150L << 20));
        pool.handle(new PoolEvent.WarmUp(3));
        pool.worker(0).ready();
        assertThat(pool.state(1)).as("50 MB measured and 50 MB more").isEqualTo(SlotState.STARTING);
        pool.worker(1).ready();
        pool.worker(2).ready();
        assertThat(pool.snapshot().gate().chargedBytes()).isEqualTo(150L << 20);

        pool.handle(new PoolEvent.MemorySample(100L << 20));
        pool.handle(new PoolEvent.RestartSlot(2));
        pool.clock.advance(Duration.ofSeconds(1));
        assertThat(pool.state(2)).isEqualTo(SlotState.STUCK);
        pool.worker(2).exit();
        assertThat(pool.state(2)).as("two already fill the budget").isEqualTo(SlotState.EMPTY);
        pool.handle(new PoolEvent.MemorySample(150L << 20));
        assertThat(pool.state(2)).isEqualTo(SlotState.STARTING);
    }

    @Test
    void a9WithEverySlotStuckWorkFailsAtOnceInsteadOfWaiting() {
        pool.warm(1);
        pool.query("a");
        pool.worker(0).start();
        pool.clock.advance(Duration.ofMinutes(5).plusSeconds(2));
        assertThat(pool.state(0)).isEqualTo(SlotState.STUCK);
        long b = pool.query("b");
        assertThat(pool.code(b)).isEqualTo(FailureCode.EMBEDDING_UNAVAILABLE);
    }

    @Test
    void aBudgetThatAdmitsNoWorkerAtAllIsSaidAtOnce() {
        pool.handle(new PoolEvent.MemorySample(1));
        long a = pool.query("a");
        assertThat(pool.code(a)).isEqualTo(FailureCode.EMBEDDING_UNAVAILABLE);
        assertThat(pool.failure(a).detail()).contains("memory");
        pool.handle(new PoolEvent.MemorySample(1L << 30));
        pool.query("a");
        assertThat(pool.workersMade()).isEqualTo(1);
    }

    @Test
    void a15DocumentsLeaveHeadroomThatOnlyQueriesUse() {
        List<Long> documents = new ArrayList<>();
        for (int i = 0; i < 240; i++) {
            documents.add(pool.document("document " + i));
        }
        long refused = pool.document("one more");
        assertThat(pool.code(refused)).isEqualTo(FailureCode.OVERLOADED);
        assertThat(pool.failure(refused).retryAfter()).isNotNull();
        for (int i = 0; i < 16; i++) {
            assertThat(pool.isSettled(pool.query("query " + i))).isFalse();
        }
        assertThat(pool.code(pool.query("one more"))).isEqualTo(FailureCode.OVERLOADED);
        assertThat(pool.snapshot().operations()).isEqualTo(256);

        pool.cancel(documents.get(0));
        assertThat(pool.isSettled(pool.query("one more"))).isFalse();
        assertThat(pool.code(pool.document("another"))).isEqualTo(FailureCode.OVERLOADED);
    }

    @Test
    void a15BytesAreBoundedAndComeBackWithCancellationAndCompletion() {
        String megabyte = "x".repeat((1 << 20) - 12 - EmbedInput.Text.OVERHEAD_BYTES);
        List<Long> documents = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            documents.add(pool.document(megabyte + i));
        }
        assertThat(pool.snapshot().operationBytes())
                .isLessThanOrEqualTo(7L << 20)
                .isGreaterThan(6L << 20);
        assertThat(pool.code(pool.document(megabyte + "more"))).isEqualTo(FailureCode.OVERLOADED);
        long query = pool.query(megabyte + "query");
        assertThat(pool.isSettled(query)).isFalse();
        assertThat(pool.code(pool.query(megabyte + "query too"))).isEqualTo(FailureCode.OVERLOADED);

        pool.cancel(documents.get(0));
        assertThat(pool.isSettled(pool.document(megabyte + "more"))).isFalse();
        pool.worker(0).ready();
        pool.worker(0).run();
        assertThat(pool.isSettled(query)).isTrue();
        assertThat(pool.isSettled(pool.query(megabyte + "query too"))).isFalse();
    }

    @Test
    void a15SixtyFourMayWaitForOneOperationAndALeaverMakesRoom() {
        List<Long> waiters = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            waiters.add(pool.query("same"));
        }
        assertThat(pool.code(pool.query("same"))).isEqualTo(FailureCode.OVERLOADED);
        pool.cancel(waiters.get(10));
        assertThat(pool.isSettled(pool.query("same"))).isFalse();
        assertThat(pool.snapshot().operations()).isEqualTo(1);
        assertThat(pool.snapshot().waiters()).isEqualTo(64);
    }

    @Test
    void a24aWorkLargerThanTheWholeQueueIsRefusedForGood() {
        String tooLarge = "x".repeat((8 << 20) + 1);
        long query = pool.query(tooLarge);
        assertThat(pool.code(query)).isEqualTo(FailureCode.WORK_TOO_LARGE);
        long document = pool.document("x".repeat((7 << 20) + 1));
        assertThat(pool.code(document)).isEqualTo(FailureCode.WORK_TOO_LARGE);
    }

    @Test
    void a23DocumentsProgressUnderAnEndlessStreamOfQueries() {
        pool.warm(1);
        pool.query("first");
        long document = pool.document("document");
        int slices = 0;
        while (!pool.isSettled(document)) {
            pool.query("query " + slices);
            pool.worker(0).run();
            slices++;
            assertThat(slices).isLessThan(12);
        }
        assertThat(slices).as("eight queries, then the document").isEqualTo(10);
    }

    @Test
    void aQueryThatJoinsADocumentTakesItAlong() {
        pool.warm(1);
        pool.query("busy");
        long slow = pool.submit(InputType.DOCUMENT, Priority.DOCUMENT, PoolFixture.LONG, "shared");
        pool.query("earlier");
        long urgent = pool.submit(InputType.DOCUMENT, Priority.QUERY, PoolFixture.LONG, "shared");
        assertThat(pool.snapshot().documents().depth()).isZero();
        pool.worker(0).run();
        pool.worker(0).run();
        pool.worker(0).run();
        assertThat(pool.isSettled(urgent)).isTrue();
        assertThat(pool.isSettled(slow)).isTrue();
    }
}
