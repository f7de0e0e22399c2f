package io.recallgate.recall.vector;

import static io.recallgate.recall.MemoryFixture.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExactVectorIndexTest extends VectorIndexContract {

    private volatile long maxBytes = 64L << 20;

    @Override
    TestDatabase openServer() {
        return TestDatabase.embedded();
    }

    @Override
    VectorIndex open(Vertx vertx, Database database) {
        return new ExactVectorIndex(database, SystemClock.INSTANCE, workers, () -> maxBytes, meters);
    }

    @Test
    void aVectorWrittenByAnotherNodeIsSeenByTheNextSearch() {
        UUID first = embedded("first", 0, 1, 0, 0);
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(first);
        UUID second = memories.turn(scope, "second");
        memories.vector(scope, second, MODEL, 0, unit(1, 0, 0, 0));
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(second, first);
    }

    @Test
    void whoeverLeavesEndsTheReadingOfWhatAFilterAdmits() {
        UUID id = embedded("first", 1, 0, 0, 0);
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(id);
        leavesNothingOnTheServer(
                "memory",
                cancel -> index.search(query(scope, MODEL, unit(1, 0, 0, 0), 10, "s1", Set.of()), soon(), cancel));
    }

    @Test
    void whoeverHasLeftHasNothingCompared() {
        UUID id = embedded("first", 1, 0, 0, 0);
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(id);
        CancelSignal left = new CancelSignal();
        left.cancel(CancelCause.DISCONNECTED);
        Await.failure(
                index.similarities(
                        query(scope, MODEL, unit(1, 0, 0, 0), 10, null, Set.of()), List.of(id), soon(), left),
                FailureCode.CANCELLED);
    }

    @Test
    void theCacheDropsTheScopeNotAskedForTheLongest() {
        Scope other = new Scope("other", "project");
        for (int i = 0; i < 10; i++) {
            embedded("mine " + i, 1, 0, 0, 0);
            commit(other, memories.turn(other, "theirs " + i), MODEL, unit(0, 1, 0, 0));
        }
        search(1, 0, 0, 0);
        long one = ((ExactVectorIndex) index).cachedBytes();
        maxBytes = one + one / 2;
        await(index.search(query(other, MODEL, unit(1, 0, 0, 0), 10, null, Set.of()), soon()));
        assertThat(((ExactVectorIndex) index).cachedBytes()).isEqualTo(one);
        assertThat(meters.counter("recallgate.vector.cache.evictions").count()).isEqualTo(1);
        assertThat(search(1, 0, 0, 0)).hasSize(10);
    }

    @Test
    void aScopeThatDoesNotFitIsRefused() {
        for (int i = 0; i < 10; i++) {
            embedded("mine " + i, 1, 0, 0, 0);
        }
        maxBytes = 500;
        assertThatThrownBy(() -> search(1, 0, 0, 0))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.WORK_TOO_LARGE));
        assertThat(((ExactVectorIndex) index).cachedBytes()).isZero();
    }

    @Test
    void aScopeThatDoesNotFitIsNotReadAgainForEverySearchButWhenTheBoundIsRaised() {
        UUID first = embedded("first", 1, 0, 0, 0);
        for (int i = 0; i < 30; i++) {
            embedded("mine " + i, 1, 0, 0, 0);
        }
        maxBytes = 3_000; // one block of the smallest kind
        assertThatThrownBy(() -> search(1, 0, 0, 0)).isInstanceOf(FailureException.class);
        execute("delete from memory_vector where memory_id <> '" + first + "'");
        assertThatThrownBy(() -> search(1, 0, 0, 0))
                .as("it is not looked at again yet")
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.WORK_TOO_LARGE));
        maxBytes = 64 << 20;
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(first);
    }

    @Test
    void scopesWithoutVectorsAreNotKept() {
        embedded("mine", 1, 0, 0, 0);
        search(1, 0, 0, 0);
        for (int i = 0; i < 20; i++) {
            Scope empty = new Scope("nobody " + i, "");
            await(index.search(query(empty, MODEL, unit(1, 0, 0, 0), 5, null, Set.of()), soon()));
        }
        assertThat(((ExactVectorIndex) index).scopes()).isEqualTo(1);
    }

    @Test
    void aScanThatWaitsForAThreadSeesWhatWasReadForItWhateverHappensToTheCache() throws Exception {
        UUID mine = embedded("mine", 1, 0, 0, 0);
        CountDownLatch release = new CountDownLatch(1);
        List<Future<Boolean>> busy = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            busy.add(workers.run(soon(), () -> release.await(30, TimeUnit.SECONDS)));
        }
        var waiting = index.search(query(scope, MODEL, unit(1, 0, 0, 0), 5, null, Set.of()), soon());
        Await.until("its vectors are read", () -> ((ExactVectorIndex) index).cachedBytes() > 0);
        maxBytes = 10;
        var refused = index.search(query(scope, MODEL, unit(1, 0, 0, 0), 5, null, Set.of()), soon());
        assertThatThrownBy(() -> await(refused)).isInstanceOf(FailureException.class);

        release.countDown();
        busy.forEach(run -> assertThat(await(run)).isTrue());
        assertThat(ids(await(waiting))).containsExactly(mine);
    }

    @Test
    void manySearchesAtOnceShareTheirLooks() {
        for (int i = 0; i < 50; i++) {
            embedded("mine " + i, 1, i, 0, 0);
        }
        var searches = java.util.stream.IntStream.range(0, 40)
                .mapToObj(i -> index.search(query(scope, MODEL, unit(1, i, 0, 0), 5, null, Set.of()), soon()))
                .toList();
        searches.forEach(search -> assertThat(await(search)).hasSize(5));
    }
}
