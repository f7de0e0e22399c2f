package io.recallgate.recall.store;

import io.recallgate.recall.Await;
import io.recallgate.recall.SimpleWords;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A real database for all tests of a class, and stores on it. */
abstract class StoreTest {

    static Vertx vertx;
    static TestDatabase testDatabase;
    static Database database;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        testDatabase = TestDatabase.embedded();
        database = Database.open(vertx, testDatabase.options(), new VertxTimers(vertx));
    }

    @AfterAll
    static void close() {
        Await.result(database.close());
        Await.result(vertx.close());
        testDatabase.close();
    }

    /** @param fingerprint of the active model */
    static MemoryStore store(VectorIndex vectors, String fingerprint) {
        return store(vectors, fingerprint, Future::succeededFuture);
    }

    /** @param giveWay what imports wait for */
    static MemoryStore store(VectorIndex vectors, String fingerprint, Supplier<Future<Void>> giveWay) {
        return new MemoryStore(
                database,
                new SimpleWords(),
                vectors,
                vertx.createSharedWorkerExecutor("test-recall", 2),
                new MemoryStore.Config(SystemClock.INSTANCE, DatabaseTime.SERVER, () -> fingerprint, giveWay));
    }
}
