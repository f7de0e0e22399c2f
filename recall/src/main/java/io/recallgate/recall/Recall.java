package io.recallgate.recall;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.recall.api.ConversationService;
import io.recallgate.recall.api.JobService;
import io.recallgate.recall.api.MemoryService;
import io.recallgate.recall.api.RecallLogPolicy;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.RecallStatistics;
import io.recallgate.recall.api.RetentionPolicy;
import io.recallgate.recall.bus.RecallEndpoint;
import io.recallgate.recall.bus.RecallEvents;
import io.recallgate.recall.conversation.ConversationStore;
import io.recallgate.recall.conversation.ConversationUpkeep;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Notifications;
import io.recallgate.recall.jobs.ActiveModel;
import io.recallgate.recall.jobs.JobCensus;
import io.recallgate.recall.jobs.JobReports;
import io.recallgate.recall.jobs.JobRunner;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.recall.lexical.Reanalysis;
import io.recallgate.recall.lexical.Trigrams;
import io.recallgate.recall.log.AccessCounts;
import io.recallgate.recall.log.RecallLog;
import io.recallgate.recall.read.ReadLimits;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.retention.Retention;
import io.recallgate.recall.schema.Schema;
import io.recallgate.recall.search.Foreground;
import io.recallgate.recall.search.SearchServices;
import io.recallgate.recall.store.MemoryStore;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.recall.vector.VectorIndexes;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.security.SecureRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Memories, jobs and recall on one database. Any thread. */
public final class Recall {

    private static final Logger LOG = LoggerFactory.getLogger(Recall.class);

    /** Analyses of large texts at once: enough to keep writes going, and few enough to leave cores to queries. */
    private static final int WRITE_THREADS = 2;

    /** The channel of {@code sql/store/notify-jobs.sql}. */
    private static final String CHANNEL = "recallgate_jobs";

    private final Base base;
    private final Served served;
    private final JobRunner runner;
    private final Upkeep upkeep;
    private final Notifications notifications;
    private final RecallEndpoint endpoint;
    private @Nullable Future<Void> jobsStopped;
    private @Nullable Future<Void> closed;

    private Recall(
            Base base,
            Served served,
            JobRunner runner,
            Upkeep upkeep,
            Notifications notifications,
            RecallEndpoint endpoint) {
        this.base = base;
        this.served = served;
        this.runner = runner;
        this.upkeep = upkeep;
        this.notifications = notifications;
        this.endpoint = endpoint;
    }

    /**
     * What recall takes from outside.
     *
     * @param embedder may not be up yet: jobs wait for it, and recall is lexical until then
     * @param settings read on each use
     * @param retention read at each step of removing what is old
     * @param log what is kept of recalls, read for each
     * @param meters collects metrics
     * @param clock of deadlines
     * @param timers that belong to the clock
     */
    public record Parts(
            Embedder embedder,
            Supplier<RecallSettings> settings,
            Supplier<RetentionPolicy> retention,
            Supplier<RecallLogPolicy> log,
            MeterRegistry meters,
            Clock clock,
            Timers timers) {

        /** One that keeps memories for ever, and a log as it is by default. */
        public Parts(
                Embedder embedder,
                Supplier<RecallSettings> settings,
                MeterRegistry meters,
                Clock clock,
                Timers timers) {
            this(embedder, settings, () -> RetentionPolicy.KEEP, () -> RecallLogPolicy.DEFAULTS, meters, clock, timers);
        }
    }

    private record Base(
            RecallOptions options,
            Clock clock,
            Schema.Report schema,
            Database database,
            VectorIndex vectors,
            ReadWorkers readers,
            Logs logs,
            WorkerExecutor writers) {}

    /** What is written beside answers. */
    private record Logs(RecallLog recalls, AccessCounts accesses) {
        Future<Void> close() {
            return Future.all(recalls.close(), accesses.close()).mapEmpty();
        }
    }

    /** What keeps memories in order, beside everything else. */
    private record Upkeep(
            Retention retention,
            Reanalysis reanalysis,
            Trigrams trigrams,
            ConversationUpkeep conversations,
            JobCensus census) {
        void start() {
            trigrams.start();
            retention.start();
            reanalysis.start();
            conversations.start();
            census.start();
        }

        Future<Void> stop() {
            return Future.all(retention.stop(), reanalysis.stop(), trigrams.stop(), conversations.stop(), census.stop())
                    .mapEmpty();
        }
    }

    private record Served(
            MemoryService memories, ConversationService conversations, JobService jobs, RecallService recall) {}

    /**
     * Checks and migrates the database, opens everything and begins to run jobs and serve the bus addresses. What was
     * opened is closed again when a later step fails.
     *
     * @return fails with {@code database-unavailable} and one line that says what is wrong and what to do
     */
    public static Future<Recall> start(Vertx vertx, RecallOptions options, Parts parts) {
        return Schema.migrate(vertx, options.database()).compose(schema -> open(vertx, options, parts, schema));
    }

    /** Writes and reads memories. */
    public MemoryService memories() {
        return served.memories();
    }

    /** Keeps how far conversations are. */
    public ConversationService conversations() {
        return served.conversations();
    }

    /** Shows and retries jobs. */
    public JobService jobs() {
        return served.jobs();
    }

    /** Recalls. */
    public RecallService recall() {
        return served.recall();
    }

    /** What recall did of late. */
    public RecallStatistics statistics() {
        return base.logs().recalls();
    }

    /** What the start found and did. */
    public Schema.Report schema() {
        return base.schema();
    }

    /** Whether the database answers. */
    public Future<Void> ping(Deadline deadline) {
        return base.database().ping(deadline);
    }

    /** Claims no more jobs, lets running ones finish to the drain's bound and gives leases back. Idempotent. */
    public synchronized Future<Void> stopJobs() {
        if (jobsStopped == null) {
            Deadline drain = Deadline.afterMillis(base.clock(), base.options().drainMillis());
            jobsStopped = quietly("listening", notifications.close())
                    .compose(ignored -> upkeep.stop())
                    .compose(ignored -> runner.stop(drain));
        }
        return jobsStopped;
    }

    /**
     * Stops everything in order: bus addresses, jobs, index, threads, connections. Bounded by the drain; idempotent;
     * never fails, what went wrong is logged.
     */
    public synchronized Future<Void> close() {
        if (closed == null) {
            closed = quietly("the bus addresses", endpoint.close())
                    .compose(ignored -> stopJobs())
                    .compose(ignored -> closeBase(base));
        }
        return closed;
    }

    private static Future<Recall> open(Vertx vertx, RecallOptions options, Parts parts, Schema.Report schema) {
        Database database =
                Database.open(vertx, options.database(), parts.timers()).measuredBy(parts.meters());
        ReadWorkers readers = new ReadWorkers(
                ReadLimits.DEFAULTS.with(options.readThreads(), options.readQueue()),
                parts.clock(),
                parts.timers(),
                parts.meters());
        WorkerExecutor writers = vertx.createSharedWorkerExecutor("recallgate-write", WRITE_THREADS);
        RecallLog.Parts logging =
                new RecallLog.Parts(parts.clock(), parts.timers(), DatabaseTime.SERVER, parts.meters());
        return VectorIndexes.open(
                        database,
                        parts.clock(),
                        readers,
                        () -> parts.settings().get().exactIndexCacheBytes(),
                        parts.meters())
                .compose(vectors -> RecallLog.open(database, parts.log(), logging)
                        .compose(log -> serve(
                                vertx,
                                parts,
                                new Base(
                                        options,
                                        parts.clock(),
                                        schema,
                                        database,
                                        vectors,
                                        readers,
                                        new Logs(log, new AccessCounts(database, logging)),
                                        writers))))
                .recover(error -> readers.close()
                        .transform(ignored -> writers.close())
                        .transform(ignored -> database.close())
                        .transform(ignored -> Future.failedFuture(error)));
    }

    private static Future<Recall> serve(Vertx vertx, Parts parts, Base base) {
        LuceneAnalysis analysis = LuceneAnalysis.of(base.options().language());
        ActiveModel model = new ActiveModel(parts.embedder());
        Foreground foreground = new Foreground(parts.timers());
        MemoryStore memories = new MemoryStore(
                base.database(),
                analysis,
                base.vectors(),
                base.writers(),
                new MemoryStore.Config(parts.clock(), DatabaseTime.SERVER, model::fingerprint, foreground::giveWay));
        Trigrams trigrams = new Trigrams(base.database(), parts.clock(), parts.timers());
        RecallService recall = foreground.counted(SearchServices.create(
                new SearchServices.Parts(
                        base.database(),
                        analysis,
                        parts.embedder(),
                        base.vectors(),
                        model::fingerprint,
                        new RecallEvents(vertx)::degraded,
                        base.logs().recalls(),
                        base.logs().accesses(),
                        () -> trigrams.state() == Trigrams.State.READY),
                parts.clock(),
                parts.timers(),
                parts.settings(),
                parts.meters()));
        JobRunner runner = runner(vertx, parts, base, model);
        Retention retention = Retention.create(
                vertx,
                base.database(),
                base.vectors(),
                parts.retention(),
                new Retention.Parts(parts.clock(), parts.timers(), DatabaseTime.SERVER, parts.meters()));
        Reanalysis reanalysis = new Reanalysis(
                vertx, base.database(), analysis, base.writers(), new Reanalysis.Pace(parts.clock(), parts.timers()));
        ConversationUpkeep conversations = new ConversationUpkeep(
                vertx,
                base.database(),
                new ConversationUpkeep.Parts(parts.clock(), parts.timers(), DatabaseTime.SERVER));
        JobCensus census = new JobCensus(
                vertx, base.database(), parts.clock(), parts.timers(), DatabaseTime.SERVER, parts.meters());
        Upkeep upkeep = new Upkeep(retention, reanalysis, trigrams, conversations, census);
        Notifications notifications =
                new Notifications(vertx, base.options().database(), parts.timers(), CHANNEL, runner::wake);
        RecallEndpoint endpoint = new RecallEndpoint(vertx, memories, recall, parts.clock());
        Served served = new Served(
                memories,
                new ConversationStore(base.database(), memories, DatabaseTime.SERVER, () -> parts.log()
                        .get()
                        .isKept()),
                new JobReports(base.database(), DatabaseTime.SERVER, model),
                recall);
        return endpoint.register().map(ignored -> {
            runner.start();
            upkeep.start();
            notifications.start();
            return new Recall(base, served, runner, upkeep, notifications, endpoint);
        });
    }

    private static JobRunner runner(Vertx vertx, Parts parts, Base base, ActiveModel model) {
        return JobRunner.create(
                vertx,
                new JobRunner.Stores(base.database(), base.vectors()),
                parts.embedder(),
                model,
                new JobRunner.Parts(
                        parts.clock(),
                        parts.timers(),
                        DatabaseTime.SERVER,
                        parts.settings(),
                        new SecureRandom(),
                        parts.meters()),
                base.options().jobs());
    }

    private static Future<Void> closeBase(Base base) {
        return quietly("the vector index", base.vectors().close())
                .compose(ignored -> quietly("the recall log", base.logs().close()))
                .compose(ignored -> quietly("read workers", base.readers().close()))
                .compose(ignored -> quietly("write workers", base.writers().close()))
                .compose(ignored -> quietly("the database pool", base.database().close()));
    }

    private static Future<Void> quietly(String what, Future<Void> step) {
        return step.otherwise(error -> {
            LOG.warn("{} could not be closed", what, error);
            return null;
        });
    }
}
