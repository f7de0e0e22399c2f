package io.recallgate.recall.vector;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.rank.IdOrder;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.read.ReadWorkers.Ask;
import io.recallgate.recall.vector.VectorBlocks.View;
import io.recallgate.recall.vector.VectorIndex.VectorHit;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks of vectors, and the scan over them, against a comparison one by one. */
class VectorScanTest {

    private static final int DIMENSIONS = 7;

    private final Vertx vertx = Vertx.vertx();
    private final ReadWorkers workers = new ReadWorkers(vertx, 2, 16);
    private final VectorBlocks blocks = new VectorBlocks();
    private final Map<UUID, List<float[]>> model = new HashMap<>();
    private final Random random = new Random(5);

    @AfterEach
    void close() {
        Await.result(workers.close());
        Await.result(vertx.close());
    }

    @Test
    void whateverIsAddedAndRemovedTheNearestAreThoseOfAComparisonOneByOne() {
        for (int round = 0; round < 60; round++) {
            for (int i = 0; i < 100; i++) {
                if (random.nextInt(5) < (round < 30 ? 3 : 1) || model.size() < 60) {
                    add(UUID.randomUUID(), 1 + random.nextInt(3));
                } else {
                    remove(any());
                }
            }
            assertThat(blocks.rows())
                    .isEqualTo(model.values().stream().mapToInt(List::size).sum());
            float[] query = vector();
            assertThat(scan(blocks.views(), query, null, 25)).isEqualTo(expected(query, null, 25));
            Set<UUID> some = new HashSet<>(List.of(any(), any(), UUID.randomUUID()));
            assertThat(scan(blocks.views(), query, some, 25)).isEqualTo(expected(query, some, 25));
            Map<UUID, Double> near = new HashMap<>();
            expected(query, some, 25).forEach(hit -> near.put(hit.memoryId(), hit.similarity()));
            assertThat(blocks.similarities(some, query)).isEqualTo(near);
        }
        List.copyOf(model.keySet()).forEach(this::remove);
        assertThat(blocks.views()).isEmpty();
        assertThat(blocks.chargedBytes()).isZero();
    }

    @Test
    void aViewStaysAsItWasWhateverHappensAfterwards() {
        for (int i = 0; i < 1_000; i++) {
            add(UUID.randomUUID(), 1);
        }
        float[] query = vector();
        List<View> views = blocks.views();
        List<VectorHit> before = expected(query, null, 50);

        List.copyOf(model.keySet()).subList(0, 900).forEach(this::remove);
        for (int i = 0; i < 1_000; i++) {
            add(UUID.randomUUID(), 1);
        }

        assertThat(scan(views, query, null, 50)).isEqualTo(before);
        assertThat(scan(blocks.views(), query, null, 50)).isEqualTo(expected(query, null, 50));
    }

    @Test
    void whatIsRemovedGivesItsBytesBack() {
        for (int i = 0; i < 10_000; i++) {
            add(UUID.randomUUID(), 1);
        }
        long full = blocks.chargedBytes();
        List.copyOf(model.keySet()).subList(0, 9_000).forEach(this::remove);

        assertThat(blocks.chargedBytes()).isLessThan(full / 3);
    }

    @Test
    void aFewVectorsTakeNoMoreThanAFewLanes() {
        add(UUID.randomUUID(), 3);

        assertThat(blocks.chargedBytes()).isLessThan(5_000);
    }

    @Test
    void aMemoryThatWasPushedOutComesBackWithABetterPassage() {
        Nearest nearest = new Nearest(2);
        UUID one = new UUID(0, 1);
        nearest.offer(new VectorHit(one, 0.1));
        nearest.offer(new VectorHit(new UUID(0, 2), 0.2));
        nearest.offer(new VectorHit(new UUID(0, 3), 0.3));
        nearest.offer(new VectorHit(one, 0.25));
        nearest.offer(new VectorHit(one, 0.05));

        assertThat(nearest.bestFirst()).containsExactly(new VectorHit(new UUID(0, 3), 0.3), new VectorHit(one, 0.25));
    }

    @Test
    void aLargeScanIsSharedWithAThreadThatHasNothingElseToDo() {
        fill(10_000);
        CountDownLatch both = new CountDownLatch(2);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Set<UUID> all = watched(() -> {
            if (threads.add(Thread.currentThread().getName())) {
                both.countDown();
                Await.until("another thread helps", () -> both.getCount() == 0);
            }
        });
        float[] query = vector();

        assertThat(scan(blocks.views(), query, all, 30)).isEqualTo(expected(query, null, 30));
        assertThat(threads).hasSize(2);
    }

    @Test
    void aScanDoesNotWaitForAThreadThatIsBusy() throws Exception {
        fill(10_000);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(1);
        Future<Boolean> busy = workers.run(soon(), () -> {
            taken.countDown();
            return release.await(60, TimeUnit.SECONDS);
        });
        assertThat(taken.await(60, TimeUnit.SECONDS)).isTrue();
        float[] query = vector();

        assertThat(scan(blocks.views(), query, null, 30)).isEqualTo(expected(query, null, 30));

        release.countDown();
        assertThat(Await.result(busy)).isTrue();
    }

    @Test
    void aScanWhoseDeadlinePassesStops() {
        fill(10_000);
        Set<UUID> slow = watched(() -> {
            if (!soon.isPassed()) {
                Await.until("the deadline passes", soon::isPassed);
            }
        });
        Await.failure(
                VectorScan.nearest(
                        workers,
                        Ask.until(soon),
                        blocks.views(),
                        EmbeddingVector.of(vector()),
                        new VectorScan.Filter(slow, Set.of()),
                        10),
                FailureCode.DEADLINE_EXCEEDED);
    }

    private final Deadline soon = Deadline.afterMillis(SystemClock.INSTANCE, 1_000);

    private void fill(int vectors) {
        for (int i = 0; i < vectors; i++) {
            add(UUID.randomUUID(), 1);
        }
    }

    /** Holds everything, and calls before it says so. */
    private static Set<UUID> watched(Runnable call) {
        return new AbstractSet<>() {
            @Override
            public boolean contains(@Nullable Object id) {
                call.run();
                return true;
            }

            @Override
            public Iterator<UUID> iterator() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int size() {
                throw new UnsupportedOperationException();
            }
        };
    }

    private void add(UUID id, int passages) {
        List<float[]> values = new ArrayList<>();
        for (int i = 0; i < passages; i++) {
            values.add(vector());
            blocks.add(id, values.get(i));
        }
        model.put(id, values);
    }

    private void remove(UUID id) {
        blocks.remove(id);
        model.remove(id);
    }

    private UUID any() {
        return model.keySet().stream()
                .skip(random.nextInt(model.size()))
                .findFirst()
                .orElseThrow();
    }

    /** Small whole numbers: their sums are exact in any order, and many are equal. */
    private float[] vector() {
        float[] values = new float[DIMENSIONS];
        for (int i = 0; i < DIMENSIONS; i++) {
            values[i] = random.nextInt(7) - 3;
        }
        return values;
    }

    private List<VectorHit> scan(List<View> views, float[] query, @Nullable Set<UUID> allowed, int limit) {
        return Await.result(VectorScan.nearest(
                workers,
                Ask.until(soon()),
                views,
                EmbeddingVector.of(query),
                new VectorScan.Filter(allowed, Set.of()),
                limit));
    }

    private List<VectorHit> expected(float[] query, @Nullable Set<UUID> allowed, int limit) {
        List<VectorHit> hits = new ArrayList<>();
        model.forEach((id, passages) -> {
            if (allowed == null || allowed.contains(id)) {
                hits.add(new VectorHit(
                        id,
                        passages.stream()
                                .mapToDouble(values -> dot(values, query))
                                .max()
                                .orElseThrow()));
            }
        });
        hits.sort(Comparator.comparingDouble(VectorHit::similarity)
                .reversed()
                .thenComparing(VectorHit::memoryId, IdOrder.BYTES));
        return hits.subList(0, Math.min(limit, hits.size()));
    }

    private static double dot(float[] a, float[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 60_000);
    }
}
