package io.recallgate.recall;

import io.recallgate.recall.database.Database;
import io.recallgate.time.FakeClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * A database for all tests of a class, and for each of them empty tables, a pool and a clock of its own. What a subclass
 * starts it ends in its own {@link AfterEach}, which JUnit runs first.
 */
public abstract class RealDatabaseTest {

    protected static Vertx vertx;
    protected static TestDatabase testDatabase;

    protected final FakeClock clock = new FakeClock();
    protected final RecordingVectorIndex vectors;
    protected Database database;

    protected RealDatabaseTest() {
        this(new RecordingVectorIndex());
    }

    /** @param vectors for tests that need an index that does more than note what it is told */
    protected RealDatabaseTest(RecordingVectorIndex vectors) {
        this.vectors = vectors;
    }

    @BeforeAll
    static void openServer() {
        vertx = Vertx.vertx();
        testDatabase = TestDatabase.embedded();
    }

    @AfterAll
    static void closeServer() {
        Await.result(vertx.close());
        testDatabase.close();
    }

    @BeforeEach
    void openDatabase() {
        testDatabase.execute("truncate memory cascade");
        database = Database.open(vertx, testDatabase.options(), new VertxTimers(vertx));
    }

    @AfterEach
    void closeDatabase() {
        Await.result(database.close());
    }

    /** The first column of the first row as text. */
    protected static String text(String sql) {
        return testDatabase.queryText(sql);
    }
}
