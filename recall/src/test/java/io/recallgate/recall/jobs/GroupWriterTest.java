package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.jobs.GroupWriter.Bounds;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What waits together is written together, in bounds. */
class GroupWriterTest {

    private final List<List<Integer>> groups = new ArrayList<>();
    private final List<Promise<List<String>>> writes = new ArrayList<>();
    private final GroupWriter<Integer, String> writer =
            new GroupWriter<>(new Bounds(4, 100), Integer::longValue, group -> {
                groups.add(group);
                writes.add(Promise.promise());
                return writes.get(writes.size() - 1).future();
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
    void aWriteThatFailsFailsItsGroupAndTheNextGoesOn() {
        Future<String> first = writer.add(1);
        Future<String> second = writer.add(2);
        writes.get(0).fail("on purpose");

        assertThat(first.cause()).hasMessage("on purpose");
        complete(1);
        assertThat(second.result()).isEqualTo("wrote 2");
    }

    @Test
    void aWriteThatThrowsFailsItsGroupAndTheNextGoesOn() {
        GroupWriter<Integer, String> throwing = new GroupWriter<>(new Bounds(4, 100), Integer::longValue, group -> {
            throw new IllegalStateException("a defect");
        });

        assertThat(throwing.add(1).cause()).hasMessage("a defect");
        assertThat(throwing.add(2).cause()).hasMessage("a defect");
    }

    private void complete(int write) {
        writes.get(write)
                .complete(
                        groups.get(write).stream().map(item -> "wrote " + item).toList());
    }
}
