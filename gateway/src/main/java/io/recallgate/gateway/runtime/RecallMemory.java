package io.recallgate.gateway.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.gateway.conversation.prepare.FallbackWorkers;
import io.recallgate.gateway.conversation.prepare.MemoryPreparation;
import io.recallgate.gateway.conversation.prepare.PreparationOptions;
import io.recallgate.gateway.conversation.turn.TurnPreparation;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.gateway.probe.Probe;
import io.recallgate.gateway.probe.producer.KnowledgeProbe;
import io.recallgate.gateway.probe.producer.ObservedEmbedder;
import io.recallgate.gateway.probe.producer.WriteCanary;
import io.recallgate.recall.api.JobService;
import io.recallgate.recall.api.MemoryService;
import io.recallgate.recall.api.RecallLogPolicy;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.RecallStatistics;
import io.recallgate.recall.api.RetentionPolicy;
import io.recallgate.recall.bus.RecallEndpoint;
import io.recallgate.recall.bus.RecallEvents;
import io.recallgate.recall.canary.CanaryStore;
import io.recallgate.recall.conversation.ConversationStore;
import io.recallgate.recall.conversation.ConversationUpkeep;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Notifications;
import io.recallgate.recall.jobs.ActiveModel;
import io.recallgate.recall.jobs.JobCensus;
import io.recallgate.recall.jobs.JobOptions;
import io.recallgate.recall.jobs.JobReports;
import io.recallgate.recall.jobs.JobRunner;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.recall.lexical.Reanalysis;
import io.recallgate.recall.lexical.Trigrams;
import io.recallgate.recall.log.AccessCounts;
import io.recallgate.recall.log.RecallLog;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.retention.Retention;
import io.recallgate.recall.schema.Schema;
import io.recallgate.recall.search.Foreground;
import io.recallgate.recall.search.SearchServices;
import io.recallgate.recall.store.MemoryStore;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.recall.vector.VectorIndexes;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** The recall module on a database: schema first, then the services on it. */
final class RecallMemory implements MemoryPart {

    /** Told by every write; only a hint, since polling finds what was missed. */
    private static final String JOB_CHANNEL = "recallgate_jobs";

    /** Analysis of large texts, beside the event loops. */
    private static final int ANALYSIS_THREADS = 2;

    /** Leases of what was running are given back within this; they also run out by themselves. */
    private static final long JOB_DRAIN_MILLIS = 1_000;

    private final Vertx vertx;
    private final Live live;
    private final Recallgate.Time time;
    private final MeterRegistry registry;
    private final ReadWorkers readers;

    /**
     * Settings that are read on each use.
     *
     * @param recall of recall and its jobs
     * @param language whose stems words have; read when it is opened
     * @param log what is kept of recalls
     * @param retention how long memories are kept
     * @param turns what a turn is given
     */
    record Live(
            Supplier<RecallSettings> recall,
            Supplier<String> language,
            Supplier<RecallLogPolicy> log,
            Supplier<RetentionPolicy> retention,
            Supplier<PreparationOptions> turns) {

        static Live of(SettingsHolder settings) {
            return new Live(
                    settings.recallSettings(),
                    () -> settings.config().recallLanguage(),
                    () -> settings.config().recallLog(),
                    () -> settings.config().retention(),
                    () -> settings.config().conversation().preparation());
        }
    }

    /**
     * @param live may change while it runs
     * @param readers compare vectors in process; stay open when this is closed
     */
    RecallMemory(Vertx vertx, Live live, Recallgate.Time time, MeterRegistry registry, ReadWorkers readers) {
        this.vertx = vertx;
        this.live = live;
        this.time = time;
        this.registry = registry;
        this.readers = readers;
    }

    @Override
    public Future<Opened> open(DatabaseOptions options, Embedder embedder) {
        return Schema.migrate(vertx, options).compose(report -> {
            Database database = Database.open(vertx, options, time.timers()).measuredBy(registry);
            RecallLog.Parts logging = new RecallLog.Parts(time.clock(), time.timers(), DatabaseTime.SERVER, registry);
            return VectorIndexes.open(
                            database,
                            time.clock(),
                            readers,
                            () -> live.recall().get().exactIndexCacheBytes(),
                            registry)
                    // It loads Lucene and hundreds of classes more: half a second that an event loop has no time for.
                    .compose(vectors -> RecallLog.open(database, live.log(), logging)
                            .map(log -> new Stores(database, vectors, log, new AccessCounts(database, logging)))
                            .compose(stores -> vertx.executeBlocking(
                                    () -> new Services(options, embedder, report, stores), false)))
                    .compose(services -> services.begin().<Opened>map(services), error -> database.close()
                            .transform(closed -> Future.failedFuture(error)));
        });
    }

    /** What is open before the services are, and closed after them. */
    private record Stores(Database database, VectorIndex vectors, RecallLog log, AccessCounts accesses) {
        Future<Void> close() {
            return vectors.close()
                    .eventually(log::close)
                    .eventually(accesses::close)
                    .eventually(database::close);
        }
    }

    /** Everything on one database. */
    private final class Services implements Opened {

        private final Schema.Report report;
        private final Stores stores;
        private final WorkerExecutor analysts;
        private final FallbackWorkers fallbacks;
        private final JobRunner runner;
        private final JobCensus census;
        private final Retention retention;
        private final Reanalysis reanalysis;
        private final ConversationUpkeep conversations;
        private final Trigrams trigrams;
        private final Notifications notifications;
        private final MemoryStore memories;
        private final TurnPreparation turns;
        private final JobService jobs;
        private final RecallService recall;
        private final RecallEndpoint endpoint;
        private final List<Probe> probes;

        Services(DatabaseOptions options, Embedder embedder, Schema.Report report, Stores stores) {
            this.report = report;
            this.stores = stores;
            Database database = stores.database();
            VectorIndex vectors = stores.vectors();
            this.analysts = vertx.createSharedWorkerExecutor("recallgate-analysis", ANALYSIS_THREADS);
            LuceneAnalysis analysis = LuceneAnalysis.of(live.language().get());
            ActiveModel model = new ActiveModel(embedder);
            Foreground foreground = new Foreground(time.timers());
            this.memories = new MemoryStore(
                    database,
                    analysis,
                    vectors,
                    analysts,
                    new MemoryStore.Config(time.clock(), DatabaseTime.SERVER, model::fingerprint, foreground::giveWay));
            this.jobs = new JobReports(database, DatabaseTime.SERVER, model);
            this.trigrams = new Trigrams(database, time.clock(), time.timers());
            this.recall = foreground.counted(SearchServices.create(
                    new SearchServices.Parts(
                            database,
                            analysis,
                            embedder,
                            vectors,
                            model::fingerprint,
                            new RecallEvents(vertx)::degraded,
                            stores.log(),
                            stores.accesses(),
                            () -> trigrams.state() == Trigrams.State.READY),
                    time.clock(),
                    time.timers(),
                    live.recall(),
                    registry));
            this.fallbacks = new FallbackWorkers(vertx, time.timers());
            this.turns = turns(database);
            this.runner = JobRunner.create(
                    vertx,
                    new JobRunner.Stores(database, vectors),
                    embedder,
                    model,
                    new JobRunner.Parts(
                            time.clock(),
                            time.timers(),
                            DatabaseTime.SERVER,
                            live.recall(),
                            new SecureRandom(),
                            registry),
                    JobOptions.defaults("gateway-" + UUID.randomUUID()));
            this.census = new JobCensus(vertx, database, time.clock(), time.timers(), DatabaseTime.SERVER, registry);
            this.retention = Retention.create(
                    vertx,
                    database,
                    vectors,
                    live.retention(),
                    new Retention.Parts(time.clock(), time.timers(), DatabaseTime.SERVER, registry));
            this.reanalysis = new Reanalysis(
                    vertx, database, analysis, analysts, new Reanalysis.Pace(time.clock(), time.timers()));
            this.conversations = new ConversationUpkeep(
                    vertx, database, new ConversationUpkeep.Parts(time.clock(), time.timers(), DatabaseTime.SERVER));
            this.notifications = new Notifications(vertx, options, time.timers(), JOB_CHANNEL, runner::wake);
            this.endpoint = new RecallEndpoint(vertx, memories, recall, time.clock());
            this.probes = probes(stores, analysis, embedder, model);
        }

        /** With a recall of their own, which leaves no trace in logs, counts, metrics and events. */
        private List<Probe> probes(Stores stores, LuceneAnalysis analysis, Embedder embedder, ActiveModel model) {
            ObservedEmbedder observed = new ObservedEmbedder(embedder);
            CanaryStore canaries = new CanaryStore(stores.database(), analysis, stores.vectors());
            RecallService untraced = SearchServices.create(
                    new SearchServices.Parts(
                            stores.database(),
                            analysis,
                            observed,
                            stores.vectors(),
                            model::fingerprint,
                            reason -> {},
                            recalled -> {},
                            hits -> {},
                            () -> trigrams.state() == Trigrams.State.READY),
                    time.clock(),
                    time.timers(),
                    live.recall(),
                    new CompositeMeterRegistry());
            return List.of(new WriteCanary(embedder, canaries), new KnowledgeProbe(observed, canaries, untraced));
        }

        private TurnPreparation turns(Database database) {
            ConversationStore store = new ConversationStore(database, memories, DatabaseTime.SERVER, () -> live.log()
                    .get()
                    .isKept());
            return new MemoryPreparation(
                    new MemoryPreparation.Parts(
                            vertx,
                            recall,
                            store,
                            new JsonWorkers(readers, time.timers()),
                            fallbacks,
                            time.clock(),
                            time.timers()),
                    live.turns());
        }

        Future<Void> begin() {
            runner.start();
            census.start();
            retention.start();
            reanalysis.start();
            conversations.start();
            trigrams.start();
            notifications.start();
            return endpoint.register();
        }

        @Override
        public MemoryService memories() {
            return memories;
        }

        @Override
        public JobService jobs() {
            return jobs;
        }

        @Override
        public RecallService recall() {
            return recall;
        }

        @Override
        public RecallStatistics statistics() {
            return stores.log();
        }

        @Override
        public TurnPreparation turns() {
            return turns;
        }

        @Override
        public List<Probe> probes() {
            return probes;
        }

        @Override
        public JsonObject facts() {
            return new JsonObject()
                    .put("schema", report.version())
                    .put("server", report.server())
                    .put("trigrams", trigrams.state().wireName());
        }

        @Override
        public Future<Void> ping(Deadline deadline) {
            return stores.database().ping(deadline);
        }

        @Override
        public Future<Void> stopJobs() {
            return endpoint.close()
                    .eventually(notifications::close)
                    .eventually(census::stop)
                    .eventually(retention::stop)
                    .eventually(reanalysis::stop)
                    .eventually(conversations::stop)
                    .eventually(trigrams::stop)
                    .eventually(() -> runner.stop(Deadline.afterMillis(time.clock(), JOB_DRAIN_MILLIS)));
        }

        @Override
        public Future<Void> close() {
            return analysts.close().eventually(fallbacks::close).eventually(stores::close);
        }
    }
}
