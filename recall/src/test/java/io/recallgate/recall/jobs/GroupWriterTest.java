package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.Await;
import io.recallgate.recall.jobs.GroupWriter.Bounds;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What waits together is written together, in bounds. */
class GroupWriterTest {

    private final FakeClock clock = new FakeClock();
    private final List<List<Integer>> groups = new ArrayList<>();
    private final List<List<Promise<String>>> writes = new ArrayList<>();
    private final GroupWriter<Integer, String> writer =
            new GroupWriter<>(new Bounds(4, 100, 200), clock, Integer::longValue, group -> {
                groups.add(group);
                List<Promise<String>> outcomes =
                        group.stream().map(item -> Promise.<String>promise()).toList();
                writes.add(outcomes);
                return outcomes.stream().map(Promise::future).toList();
            });

    @Test
    void nothingWaitsWhileNothingIsWrittenAndWhatComesMeanwhileGoesTogether() {
        Future<String> first = writer.add(1);
        Future<String> second = writer.add(2);
        Future<String> third = writer.add(3);
        assertThat(groups).containsExactly(List.of(1));

        complete(0);
        assertThat(first.result()).isEqualTo("wrote 1");
        assertThat(groups).containsExactly(List.of(1), List.of(2, 3));
        assertThat(second.isComplete()).isFalse();
        complete(1);
        assertThat(second.result()).isEqualTo("wrote 2");
        assertThat(third.result()).isEqualTo("wrote 3");

        writer.add(4);
        assertThat(groups).hasSize(3);
    }

    @Test
    void aGroupIsBoundedInNumberAndBytes() {
        writer.add(1);
        IntStream.range(10, 16).forEach(writer::add);
        complete(0);
        assertThat(groups.get(1)).containsExactly(10, 11, 12, 13);

        List.of(99, 98, 97).forEach(writer::add);
        complete(1);
        assertThat(groups.get(2)).containsExactly(14, 15, 99);
        complete(2);
        assertThat(groups.get(3)).containsExactly(98, 97);
    }

    @Test
    void eachItemHasItsOwnOutcomeAndTheNextWriteBeginsWhenAllHaveCome() {
        writer.add(1);
        List<Future<String>> group = List.of(writer.add(2), writer.add(3), writer.add(4));
        Future<String> next = writer.add(60);
        writer.add(61);
        complete(0);
        List<Promise<String>> outcomes = writes.get(1);

        outcomes.get(2).fail("on purpose");
        outcomes.get(0).complete("wrote 2");
        assertThat(group.get(2).cause()).hasMessage("on purpose");
        assertThat(group.get(0).result()).isEqualTo("wrote 2");
        assertThat(group.get(1).isComplete()).isFalse();
        assertThat(groups).as("one write at a time").hasSize(2);

        outcomes.get(1).complete("wrote 3");
        outcomes.get(3).fail("on purpose too");
        assertThat(group.get(1).result()).isEqualTo("wrote 3");
        assertThat(next.cause()).hasMessage("on purpose too");
        assertThat(groups.get(2)).containsExactly(61);
    }

    @Test
    void aWriteThatThrowsOrForgetsAnItemFailsItsGroupAndTheNextGoesOn() {
        AtomicInteger writes = new AtomicInteger();
        Bounds bounds = new Bounds(4, 100, 200);
        GroupWriter<Integer, String> defective = new GroupWriter<>(bounds, clock, Integer::longValue, group -> {
            if (writes.incrementAndGet() == 1) {
                throw new IllegalStateException("a defect");
            }
            return List.of();
        });

        assertThat(defective.add(1).cause()).hasMessage("a defect");
        assertThat(defective.add(2).cause()).hasMessage("0 outcomes of 1 items");
    }

    @Test
    void whatIsAddedInOneTurnOfAContextGoesTogether() {
        Vertx vertx = Vertx.vertx();
        try {
            Promise<Void> added = Promise.promise();
            vertx.runOnContext(ignored -> {
                writer.add(1);
                writer.add(2);
                vertx.runOnContext(later -> added.complete());
            });
            Await.result(added.future());
            assertThat(groups).containsExactly(List.of(1, 2));
        } finally {
            Await.result(vertx.close());
        }
    }

    @Test
    void whatIsExpectedIsWaitedForUntilAllHasCome() {
        IntStream.range(0, 3).forEach(item -> writer.expectOneMore());
        writer.add(1);
        writer.expectOneLess();
        writer.add(2);
        writer.expectOneLess();
        assertThat(groups).isEmpty();

        // The last one fails, and is not added.
        writer.expectOneLess();
        assertThat(groups).containsExactly(List.of(1, 2));
        assertThat(clock.pending()).isZero();
    }

    @Test
    void itIsNotWaitedForLongAndAFullGroupDoesNotWait() {
        writer.expectOneMore();
        writer.add(1);
        clock.advanceMillis(199);
        assertThat(groups).isEmpty();
        clock.advanceMillis(1);
        assertThat(groups).containsExactly(List.of(1));

        complete(0);
        List.of(2, 3, 4).forEach(writer::add);
        assertThat(groups).as("each group waits anew").hasSize(1);
        writer.add(5);
        assertThat(groups.get(1)).containsExactly(2, 3, 4, 5);
        complete(1);
        writer.add(100);
        assertThat(groups.get(2)).containsExactly(100);
        assertThat(clock.pending()).isZero();
    }

    @Test
    void whatCameDuringAWriteWaitsAfterItForWhatIsExpected() {
        writer.add(1);
        writer.expectOneMore();
        writer.add(2);
        complete(0);
        assertThat(groups).hasSize(1);
        clock.advanceMillis(200);
        assertThat(groups).containsExactly(List.of(1), List.of(2));
        assertThat(clock.pending()).isZero();
    }

    private void complete(int write) {
        for (int i = 0; i < writes.get(write).size(); i++) {
            writes.get(write).get(i).complete("wrote " + groups.get(write).get(i));
        }
    }
}
