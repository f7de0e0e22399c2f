package io.recallgate.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.embedding.EmbeddingVerticle;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.jobs.ActiveModel;
import io.recallgate.recall.jobs.JobOptions;
import io.recallgate.recall.jobs.JobRunner;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.schema.Schema;
import io.recallgate.recall.store.MemoryStore;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.recall.vector.VectorIndexes;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * How much of the pool's own document throughput embedding jobs reach: the same texts of 20 to 60 tokens, first handed to
 * the pool in requests of a slice, then stored with their jobs and embedded by a runner with a durable PostgreSQL on the
 * same cores; rounds in turns, each phase first in every other one. Run by {@code ./recallgate bench jobs}.
 */
@SuppressWarnings("SystemOut") // the figures are what it is for
public final class JobThroughput {

    private static final Scope SCOPE = new Scope("bench", "");

    /** In the pool's queue at any time: twice as many as a runner has jobs in flight. */
    private static final int ROWS_IN_FLIGHT = 128;

    private final Vertx vertx = Vertx.vertx();
    private final int texts;
    private final int requestRows;
    private final EmbeddingVerticle pool;
    private final Database database;
    private final ReadWorkers readers = new ReadWorkers(vertx, 1, 16);
    private final VectorIndex vectors;
    private final MemoryStore store;
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Optional<ProcessHandle> postmaster;
    private int requests;

    private JobThroughput(DatabaseOptions options, int texts, int workers, int requestRows) throws Exception {
        this.texts = texts;
        this.requestRows = requestRows;
        this.pool = new EmbeddingVerticle(
                EmbeddingOptions.defaults(RealModel.NAME, RealModel.dataDirectory(), workers)
                        .withoutPublicAddresses(),
                meters);
        vertx.deployVerticle(pool).await(60, TimeUnit.SECONDS);
        pool.ready().await(60, TimeUnit.SECONDS);
        Schema.migrateBlocking(options);
        this.database = Database.open(vertx, options, new VertxTimers(vertx));
        this.postmaster = postmaster();
        this.vectors = VectorIndexes.open(database, SystemClock.INSTANCE, readers, () -> 128L << 20, meters)
                .await(60, TimeUnit.SECONDS);
        this.store = new MemoryStore(
                database,
                new LuceneAnalysis(),
                vectors,
                vertx.createSharedWorkerExecutor("bench-writes", 2),
                new MemoryStore.Config(SystemClock.INSTANCE, DatabaseTime.SERVER, () -> "none"));
    }

    /**
     * Measures and prints.
     *
     * @param arguments texts of a phase (1,000), rounds (5), workers of the pool (2), rows of a request to the pool alone
     *     (8, a slice; a job is a request of 1)
     */
    public static void main(String[] arguments) throws Exception {
        Arguments given = new Arguments(arguments);
        int texts = given.number(0, "TEXTS", 1_000, 100, 1_000_000);
        int rounds = given.number(1, "ROUNDS", 5, 1, 1_000);
        int workers = given.number(2, "WORKERS", 2, 1, 64);
        int requestRows = given.number(3, "ROWS", 8, 1, 64);
        // What is written for every operation would be most of what is measured.
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
        String server = System.getenv("RECALLGATE_TEST_PGVECTOR_URL");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .setLocaleConfig("locale", "C.UTF-8")
                .setLocaleConfig("encoding", "UTF8")
                // The library's own defaults are not durable.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .start()) {
            DatabaseOptions options = DatabaseOptions.parse(
                    server != null
                            ? server
                            : "postgresql://postgres:postgres@127.0.0.1:" + postgres.getPort()
                                    + "/postgres?sslmode=disable");
            JobThroughput bench = new JobThroughput(options, texts, workers, requestRows);
            bench.measure(rounds);
        }
        // Worker pools and the native library have threads of their own.
        System.exit(0);
    }

    /** What a phase took. Cores shared with strangers change the first figure, and hardly the second. */
    private record Phase(double perSecond, double cpuMillisPerText, double databaseMillisPerText) {}

    private void measure(int rounds) throws Exception {
        Random random = new Random(7);
        List<Phase> alone = new ArrayList<>();
        List<Phase> jobs = new ArrayList<>();
        pooled(sentences(random, texts / 4));
        for (int round = 0; round < rounds; round++) {
            List<String> batch = sentences(random, texts);
            if (round % 2 == 0) {
                alone.add(pooled(batch));
                jobs.add(throughJobs(batch));
            } else {
                jobs.add(throughJobs(batch));
                alone.add(pooled(batch));
            }
            print("round " + (round + 1), alone.get(round), jobs.get(round));
        }
        print("median", median(alone), median(jobs));
    }

    private static void print(String name, Phase alone, Phase jobs) {
        System.out.printf(
                Locale.ROOT,
                "%s: pool alone %.1f texts/s, %.2f ms of CPU a text; jobs %.1f texts/s, %.2f ms (%.2f the database's); share by time %.3f, by"
                        + " CPU %.3f%n",
                name,
                alone.perSecond,
                alone.cpuMillisPerText,
                jobs.perSecond,
                jobs.cpuMillisPerText,
                jobs.databaseMillisPerText,
                jobs.perSecond / alone.perSecond,
                alone.cpuMillisPerText / jobs.cpuMillisPerText);
    }

    /** The pool without anything else. */
    private Phase pooled(List<String> batch) throws Exception {
        Deque<List<String>> left = new ArrayDeque<>();
        for (int from = 0; from < batch.size(); from += requestRows) {
            left.add(batch.subList(from, Math.min(from + requestRows, batch.size())));
        }
        Promise<Void> done = Promise.promise();
        Cpu cpu = cpu();
        long start = System.nanoTime();
        vertx.runOnContext(ignored -> {
            List<Future<Void>> lanes = new ArrayList<>();
            for (int i = 0; i < ROWS_IN_FLIGHT / requestRows; i++) {
                lanes.add(lane(left));
            }
            Future.all(lanes).<Void>mapEmpty().onComplete(done);
        });
        done.future().await(10, TimeUnit.MINUTES);
        return phase(batch.size(), start, cpu);
    }

    private Future<Void> lane(Deque<List<String>> left) {
        List<String> next = left.poll();
        return next == null ? Future.succeededFuture() : embed(next).compose(ignored -> lane(left));
    }

    private Future<EmbedResult> embed(List<String> rows) {
        return pool.embedder()
                .embed(new EmbedRequest(
                        "bench-" + requests++,
                        rows.stream().<EmbedInput>map(EmbedInput.Text::new).toList(),
                        InputType.DOCUMENT,
                        Priority.DOCUMENT,
                        soon(),
                        new CancelSignal()));
    }

    /** A runner, from its start until all vectors are committed. */
    private Phase throughJobs(List<String> batch) throws Exception {
        for (int from = 0; from < batch.size(); from += 100) {
            List<MemoryDraft> drafts = batch.subList(from, Math.min(from + 100, batch.size())).stream()
                    .map(text -> new MemoryDraft(
                            text, MemoryKind.NOTE, null, null, null, null, false, null, new JsonObject()))
                    .toList();
            store.remember(SCOPE, drafts, soon()).await(60, TimeUnit.SECONDS);
        }
        double before = done();
        JobRunner runner = JobRunner.create(
                vertx,
                new JobRunner.Stores(database, vectors),
                pool.embedder(),
                new ActiveModel(pool.embedder()),
                new JobRunner.Parts(
                        SystemClock.INSTANCE,
                        new VertxTimers(vertx),
                        DatabaseTime.SERVER,
                        () -> RecallSettings.DEFAULTS,
                        new Random(1),
                        meters),
                JobOptions.defaults("bench"));
        Cpu cpu = cpu();
        long start = System.nanoTime();
        runner.start();
        while (done() - before < batch.size()) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        Phase phase = phase(batch.size(), start, cpu);
        runner.stop(soon()).await(60, TimeUnit.SECONDS);
        return phase;
    }

    /** Counted by the runner: asking the database would cost it more than the jobs do. */
    private double done() {
        return meters.counter("recallgate.jobs", "outcome", "done").count();
    }

    private Phase phase(int count, long startNanos, Cpu before) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        Cpu now = cpu();
        double database = now.databaseMillis - before.databaseMillis;
        return new Phase(count / seconds, (now.ownMillis - before.ownMillis + database) / count, database / count);
    }

    /** CPU time of this process and, where it is local, of the database's. */
    private record Cpu(double ownMillis, double databaseMillis) {}

    private Cpu cpu() {
        return new Cpu(
                millis(Stream.of(ProcessHandle.current())),
                millis(postmaster.stream().flatMap(ProcessHandle::descendants)));
    }

    private static double millis(Stream<ProcessHandle> processes) {
        return processes
                .flatMap(process -> process.info().totalCpuDuration().stream())
                .mapToLong(Duration::toMillis)
                .sum();
    }

    private Optional<ProcessHandle> postmaster() throws Exception {
        return database.connection(soon(), connection -> connection
                        .query("select pg_backend_pid()")
                        .execute())
                .map(rows ->
                        ProcessHandle.of(rows.iterator().next().getInteger(0)).flatMap(ProcessHandle::parent))
                .await(60, TimeUnit.SECONDS);
    }

    private static Phase median(List<Phase> phases) {
        return new Phase(
                median(phases, Phase::perSecond),
                median(phases, Phase::cpuMillisPerText),
                median(phases, Phase::databaseMillisPerText));
    }

    private static double median(List<Phase> phases, ToDoubleFunction<Phase> value) {
        double[] sorted = phases.stream().mapToDouble(value).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    /** Each text once only: the pool would run equal ones once. */
    private static List<String> sentences(Random random, int count) {
        String[] words = ("the a our this keeper garden rose morning evening river train meeting budget release plan "
                        + "customer invoice server deploys waters plants delays reviews finds breaks before after "
                        + "because while slowly again tomorrow Kyoto Lisbon Oslo team vendor contract backup")
                .split(" ", -1);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder text = new StringBuilder("Note ").append(random.nextInt(1_000_000));
            int length = 14 + random.nextInt(36);
            for (int word = 0; word < length; word++) {
                text.append(' ').append(words[random.nextInt(words.length)]);
            }
            texts.add(text.append('.').toString());
        }
        return texts;
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 600_000);
    }
}
