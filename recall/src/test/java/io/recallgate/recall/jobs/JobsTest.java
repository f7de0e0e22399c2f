package io.recallgate.recall.jobs;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.recall.Await;
import io.recallgate.recall.RealDatabaseTest;
import io.recallgate.recall.RecordingVectorIndex;
import io.recallgate.recall.ScriptedEmbedder;
import io.recallgate.recall.SimpleWords;
import io.recallgate.recall.api.JobReport;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.store.MemoryStore;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Jobs on a real database with a fake clock: what is due runs when the test says so. */
abstract class JobsTest extends RealDatabaseTest {

    static final Scope SCOPE = new Scope("owner", "");

    final ScriptedEmbedder embedder = new ScriptedEmbedder();
    final ActiveModel model = new ActiveModel(embedder);
    final List<JobRunner> runners = new ArrayList<>();
    MemoryStore store;
    private int roundsRun;

    JobsTest() {}

    /** @param vectors for tests that need an index that does more than note what it is told */
    JobsTest(RecordingVectorIndex vectors) {
        super(vectors);
    }

    @BeforeEach
    void openStore() {
        store = new MemoryStore(
                database,
                new SimpleWords(),
                vectors,
                vertx.createSharedWorkerExecutor("test-jobs", 1),
                new MemoryStore.Config(clock, DatabaseTime.of(clock), model::fingerprint));
    }

    @AfterEach
    void nothingIsLeftBehind() {
        embedder.releaseAll();
        for (JobRunner runner : runners) {
            Await.result(runner.stop(soon()));
        }
        Await.until("no timer is pending", () -> clock.pending() == 0);
    }

    JobRunner runner(String holder) {
        // The fake clock stands still: what waited for others would wait for ever.
        return runner(JobOptions.defaults(holder).withConcurrency(8).withGroupMillis(0));
    }

    JobRunner runner(JobOptions options) {
        JobRunner runner = JobRunner.create(
                vertx,
                new JobRunner.Stores(database, vectors),
                embedder,
                model,
                new JobRunner.Parts(
                        // Statements take real time; leases, waits and polls take the fake clock's.
                        SystemClock.INSTANCE,
                        clock,
                        DatabaseTime.of(clock),
                        () -> RecallSettings.DEFAULTS,
                        new Random(1),
                        new SimpleMeterRegistry()),
                options);
        runners.add(runner);
        runner.start();
        return runner;
    }

    JobTable table(String holder) {
        return new JobTable(database, SystemClock.INSTANCE, DatabaseTime.of(clock), JobOptions.defaults(holder));
    }

    JobCommits commits(String holder) {
        return new JobCommits(
                database, vectors, SystemClock.INSTANCE, DatabaseTime.of(clock), JobOptions.defaults(holder));
    }

    JobReports reports() {
        return new JobReports(database, DatabaseTime.of(clock), model);
    }

    JobReport report() {
        return Await.result(reports().report(SCOPE, soon()));
    }

    UUID remember(String content, @Nullable String author) {
        UUID id = Await.result(store.remember(SCOPE, List.of(draft(content, author, null)), soon()))
                .get(0)
                .id();
        runners.forEach(JobRunner::wake);
        return id;
    }

    UUID rememberAs(String externalId, String content) {
        return Await.result(store.remember(SCOPE, List.of(draft(content, null, externalId)), soon()))
                .get(0)
                .id();
    }

    void rememberMany(int count) {
        rememberMany(0, count);
    }

    /** Each says its number. */
    void rememberMany(int first, int count) {
        List<MemoryDraft> drafts = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            drafts.add(draft("memory " + i, null, null));
        }
        Await.result(store.remember(SCOPE, drafts, soon()));
    }

    static MemoryDraft draft(String content, @Nullable String author, @Nullable String externalId) {
        return new MemoryDraft(content, MemoryKind.NOTE, null, author, null, null, false, externalId, new JsonObject());
    }

    void advanceUntilDone(int jobs) {
        advanceUntil("done", jobs);
    }

    /** Lets time pass in steps until so many jobs are in the state, as many as it takes. */
    void advanceUntil(String state, int jobs) {
        Await.until(jobs + " jobs are " + state, () -> {
            if (count(state) < jobs) {
                clock.advanceMillis(5_000);
            }
            // Each look takes a round trip: time enough for what has come due to get on.
            for (int look = 0; look < 30 && count(state) < jobs; look++) {
                Thread.onSpinWait();
            }
            return count(state) == jobs;
        });
    }

    /** Lets rounds of upkeep pass until this holds. */
    void rounds(BooleanSupplier holds) {
        roundsRun = 0;
        Await.until("it holds after some rounds", () -> {
            if (!holds.getAsBoolean() && clock.pending() >= 1) {
                roundsRun++;
                clock.advanceMillis(20_000);
            }
            return holds.getAsBoolean();
        });
    }

    int roundsRun() {
        return roundsRun;
    }

    void awaitJobs(String state, int jobs) {
        Await.until(jobs + " jobs are " + state, () -> count(state) == jobs);
    }

    static int count(String state) {
        return Integer.parseInt(text("select count(*) from embedding_job where state = '" + state + "'"));
    }

    static int vectorsOf(String fingerprint) {
        return Integer.parseInt(text("select count(*) from memory_vector where fingerprint = '" + fingerprint + "'"));
    }

    Deadline soon() {
        return Deadline.afterMillis(clock, 3_600_000);
    }
}
