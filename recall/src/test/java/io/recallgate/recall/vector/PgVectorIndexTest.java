package io.recallgate.recall.vector;

import static io.recallgate.recall.MemoryFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.database.Database;
import io.recallgate.time.SystemClock;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

@EnabledIfEnvironmentVariable(named = TestDatabase.PGVECTOR_URL, matches = ".+")
class PgVectorIndexTest extends VectorIndexContract {

    @Override
    TestDatabase openServer() {
        return TestDatabase.pgvector();
    }

    @Override
    VectorIndex open(Vertx vertx, Database database) {
        VectorIndex opened =
                await(VectorIndexes.open(database, SystemClock.INSTANCE, workers, () -> 64L << 20, meters));
        assertThat(opened).isInstanceOf(PgVectorIndex.class);
        return opened;
    }

    @Test
    void aLargeOwnerGoesThroughTheIndexAndFindsTheSame() {
        PgVectorIndex small = new PgVectorIndex(database, SystemClock.INSTANCE, 50);
        Random random = new Random(3);
        for (int i = 0; i < 300; i++) {
            commit(scope, memories.turn(scope, "r" + i), MODEL, randomUnit(random, 32));
        }
        await(small.indexes().ensure(MODEL, 32));
        assertThat(small.indexes().usable(MODEL, 32)).isTrue();
        int same = 0;
        for (int i = 0; i < 10; i++) {
            var query = query(scope, MODEL, randomUnit(random, 32), 10, null, Set.of());
            List<UUID> approximate = ids(await(small.search(query, soon())));
            List<UUID> exact = new ArrayList<>(ids(await(index.search(query, soon()))));
            exact.retainAll(approximate);
            same += exact.size();
        }
        assertThat(same).isGreaterThanOrEqualTo(95);
    }

    @Override
    List<VectorIndex.VectorHit> nearestOfMany(VectorIndex.VectorQuery query) {
        PgVectorIndex small = new PgVectorIndex(database, SystemClock.INSTANCE, 50);
        int dimensions = query.vector().dimensions();
        patiently(small.indexes().ensure(MODEL, dimensions));
        assertThat(small.indexes().usable(MODEL, dimensions)).isTrue();
        return await(small.search(query, soon()));
    }

    @Test
    void whoeverLeavesEndsAScanOfTheIndexAndAComparison() {
        PgVectorIndex small = new PgVectorIndex(database, SystemClock.INSTANCE, 1);
        UUID one = embedded("one", 1, 0, 0, 0);
        embedded("two", 0, 1, 0, 0);
        await(small.indexes().ensure(MODEL, 4));
        VectorIndex.VectorQuery query = query(scope, MODEL, unit(1, 0, 0, 0), 1, null, Set.of());
        // How large the owner is, is remembered; it would wait for the lock as well.
        assertThat(ids(await(small.search(query, soon())))).containsExactly(one);
        leavesNothingOnTheServer("memory_vector_derived", cancel -> small.search(query, soon(), cancel));
        leavesNothingOnTheServer(
                "memory_vector_derived", cancel -> small.similarities(query, List.of(one), soon(), cancel));
        assertThat(ids(await(small.search(query, soon())))).containsExactly(one);
    }

    @Test
    void anInvalidIndexThatACrashLeftIsBuiltAnew() {
        PgVectorIndex opened = (PgVectorIndex) index;
        embedded("one", 1, 0, 0, 0);
        String name = HnswIndexes.name(MODEL, 4);
        await(opened.indexes().ensure(MODEL, 4));
        execute("update pg_index set indisvalid = false where indexrelid = '" + name + "'::regclass");
        HnswIndexes afterwards = new HnswIndexes(database, SystemClock.INSTANCE);
        await(afterwards.ensure(MODEL, 4));
        assertThat(afterwards.usable(MODEL, 4)).isTrue();
        assertThat(text("select indisvalid from pg_index where indexrelid = '" + name + "'::regclass"))
                .isEqualTo("t");
    }
}
