package io.recallgate.gateway.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ConfigFiles;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.gateway.config.SettingsOperations;
import io.recallgate.gateway.conversation.evidence.OverrunCaptures;
import io.recallgate.gateway.conversation.evidence.Overruns;
import io.recallgate.gateway.metrics.GatewayMetric;
import io.recallgate.gateway.probe.ProbeKey;
import io.recallgate.gateway.probe.Probes;
import io.recallgate.recall.read.ReadLimits;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway without its HTTP server: takes the data directory, brings database, memory and embedding up as parallel as
 * is safe, hands out the services, and takes everything down as a numbered sequence. Works in a Vert.x of its own and
 * in somebody else's. Any thread may call it.
 */
public final class Recallgate implements GatewayRuntime {

    private static final Logger LOG = LoggerFactory.getLogger(Recallgate.class);

    /** Loading the bundled model takes about a second; beyond this the gateway serves without, labelled. */
    private static final long WARM_MILLIS = 30_000;

    /** How often the configuration and the keys are looked at: a few kilobytes. Two looks make a change. */
    private static final long RELOAD_MILLIS = 1_000;

    private static final Duration RETRY_SOON = Duration.ofSeconds(1);

    /** Taking a pool, jobs or a client down is a matter of milliseconds when nothing runs in it. */
    private static final long STEP_MILLIS = 3_000;

    /** The embedded PostgreSQL bounds its own stop below this. */
    private static final long DATABASE_MILLIS = 10_000;

    private final Vertx vertx;
    private final ConfigFiles files;
    private final SettingsHolder settings;
    private final Clock clock;
    private final Timers timers;
    private final Parts parts;
    private final ReadWorkers readers;
    private final HealthReport health;
    private final MeterRegistry registry;
    private final OverrunCaptures captures;
    private final Lifecycle lifecycle = new Lifecycle();

    private final AtomicReference<@Nullable DataDirectory> directory = new AtomicReference<>();
    private final AtomicReference<@Nullable Future<Void>> starting = new AtomicReference<>();
    private final AtomicReference<@Nullable Promise<List<String>>> stopping = new AtomicReference<>();
    private final AtomicReference<Timers.@Nullable Timer> reload = new AtomicReference<>();
    private final AtomicReference<Timers.@Nullable Timer> warmTimer = new AtomicReference<>();
    private final Promise<Void> warm = Promise.promise();
    private volatile MemoryPart.@Nullable Opened memory;
    private volatile @Nullable Probes probes;
    private volatile Supplier<Future<?>> drain = Future::succeededFuture;

    /**
     * Time as the gateway sees it.
     *
     * @param clock measures
     * @param timers wake
     */
    public record Time(Clock clock, Timers timers) {}

    /**
     * What is there before anything is started.
     *
     * @param readers threads for what is too much for an event loop
     * @param registry gets the meters
     * @param captures record what phases that overran leave
     */
    record Measured(ReadWorkers readers, MeterRegistry registry, OverrunCaptures captures) {}

    Recallgate(Vertx vertx, ConfigFiles files, Time time, Parts parts, Measured measured) {
        this.vertx = vertx;
        this.files = files;
        this.settings = files.settings();
        this.timers = time.timers();
        this.parts = parts;
        this.readers = measured.readers();
        this.captures = measured.captures();
        this.registry = measured.registry();
        this.clock = time.clock();
        this.health = new HealthReport(time, parts, files::stale);
    }

    /**
     * Makes a gateway; nothing is started yet.
     *
     * @param files are looked at for changes while it runs
     * @param registry gets the meters
     * @throws io.recallgate.gateway.config.ConfigException one line, for a database URL that is none
     */
    public static Recallgate create(Vertx vertx, ConfigFiles files, Time time, MeterRegistry registry) {
        SettingsHolder settings = files.settings();
        RecallgateConfig config = settings.config();
        DatabasePart database = config.database().url().isPresent()
                ? new ExternalDatabase(
                        config.database().url().get(), config.database().poolSize())
                : new EmbeddedDatabase(
                        vertx, time.clock(), config.dataDir(), config.database().poolSize());
        EmbeddingPart embedding = EmbeddingPart.of(vertx, settings, time, registry);
        ReadWorkers readers = new ReadWorkers(ReadLimits.DEFAULTS, time.clock(), time.timers(), registry);
        MemoryPart memory = new RecallMemory(vertx, RecallMemory.Live.of(settings), time, registry, readers);
        GatewayMetric.CONFIG_STALE.gauge(registry, files, all -> all.stale().size());
        return new Recallgate(
                vertx,
                files,
                time,
                new Parts(database, memory, embedding),
                new Measured(readers, registry, OverrunCaptures.of(config.captures(), time.clock(), registry)));
    }

    /**
     * Takes the data directory for this process. {@link #start} does it too; a launcher does it before it listens.
     *
     * @return fails with a {@link io.recallgate.gateway.config.ConfigException}
     */
    public Future<Void> claim() {
        return vertx.executeBlocking(
                () -> {
                    if (directory.get() == null) {
                        directory.set(DataDirectory.open(settings.config().dataDir()));
                    }
                    return null;
                },
                true);
    }

    /**
     * Brings everything up. May be called once.
     *
     * @return completes when the gateway is ready; fails with one line when it cannot be, and {@link #stop} is then to
     *     be called
     */
    public Future<Void> start() {
        lifecycle.to(LifecycleState.STARTING);
        Future<Void> started = claim().compose(claimed -> bringUp());
        starting.set(started);
        return started;
    }

    private Future<Void> bringUp() {
        if (lifecycle.state() != LifecycleState.STARTING) {
            return Future.failedFuture(stopped());
        }
        // The model loads while PostgreSQL starts: neither needs the other.
        Future<Void> embedding = warm();
        Future<Void> opened = parts.database()
                .start()
                .compose(options ->
                        parts.memory().open(options, parts.embedding().embedder()))
                .compose(this::opened);
        // A wrong model is known long before the database is up, and the other way round: the first failure ends it.
        return Future.all(opened, embedding).map(all -> {
            if (!lifecycle.toIfLegal(LifecycleState.READY)) {
                throw stopped();
            }
            armReload();
            captures.start();
            Objects.requireNonNull(probes).start();
            return null;
        });
    }

    /** What there is to probe, as far as it is known at once. */
    private ProbeKey probed() {
        JsonObject embedding = parts.embedding().health();
        return new ProbeKey(
                embedding.getString("provider", ""),
                embedding.getString("model", ""),
                embedding.getString("fingerprint", ""),
                embedding.getInteger("dimensions", 0));
    }

    private Future<?> stopProbes() {
        Probes running = probes;
        return running == null ? Future.succeededFuture() : running.stop();
    }

    private Future<Void> opened(MemoryPart.Opened services) {
        if (lifecycle.state() != LifecycleState.STARTING) {
            // The stop has passed the step that would have closed these.
            return services.stopJobs().eventually(services::close).compose(closed -> Future.failedFuture(stopped()));
        }
        probes = new Probes(
                services.probes(),
                vertx.getOrCreateContext(),
                new Probes.Parts(clock, timers, () -> settings.config().probes(), this::probed, registry));
        memory = services;
        return Future.succeededFuture();
    }

    /** Waits for the model, but not for ever, and for nothing that a restart would not cure. */
    private Future<Void> warm() {
        arm(warmTimer, timers.schedule(TimeUnit.MILLISECONDS.toNanos(WARM_MILLIS), () -> {
            if (warm.tryComplete()) {
                LOG.warn("embeddings are not up after {} ms; serving without them until they are", WARM_MILLIS);
            }
        }));
        parts.embedding().start().onComplete(result -> {
            cancel(warmTimer);
            if (result.succeeded()) {
                warm.tryComplete();
            } else if (FailureException.of(result.cause()).code() == FailureCode.MODEL_UNUSABLE) {
                warm.tryFail(result.cause());
            } else if (warm.tryComplete()) {
                FailureException why = FailureException.of(result.cause());
                LOG.warn(
                        "embeddings did not come up, serving without them: {}",
                        why.detail(),
                        why.code() == FailureCode.INTERNAL ? result.cause() : null);
            }
        });
        return warm.future();
    }

    private void armReload() {
        arm(reload, timers.schedule(TimeUnit.MILLISECONDS.toNanos(RELOAD_MILLIS), () -> vertx.executeBlocking(
                        this::reload)
                .onComplete(done -> {
                    if (lifecycle.state() == LifecycleState.READY) {
                        armReload();
                    }
                })));
    }

    /** Keeps a timer for the stop to cancel; a stop that came meanwhile has not seen it. */
    private void arm(AtomicReference<Timers.@Nullable Timer> reference, Timers.Timer timer) {
        reference.set(timer);
        if (stopping.get() != null) {
            cancel(reference);
        }
    }

    private @Nullable Void reload() {
        try {
            files.reload();
        } catch (RuntimeException defect) {
            LOG.error("the configuration could not be looked at", defect);
        }
        return null;
    }

    /**
     * What a stop does between admitting nothing new and taking parts down; a server drains its requests here.
     *
     * @param step its future tells when nothing runs any more; it is not waited for beyond the drain bound
     */
    public void onDrain(Supplier<Future<?>> step) {
        drain = step;
    }

    /**
     * Takes everything down, also after a failed start or in the middle of one. Idempotent: a later call joins.
     *
     * @return what could not be confirmed, empty for a clean stop; never fails
     */
    public Future<List<String>> stop() {
        Promise<List<String>> mine = Promise.promise();
        Promise<List<String>> first = stopping.compareAndExchange(null, mine);
        if (first != null) {
            return first.future();
        }
        lifecycle.to(LifecycleState.STOPPING);
        cancel(reload);
        cancel(warmTimer);
        warm.tryFail(stopped());
        captures.stop();
        new StopSequence(timers)
                .then("probes", STEP_MILLIS, this::stopProbes)
                .then("running requests", settings.config().drainMillis(), drain)
                .then("embedding jobs", STEP_MILLIS, () -> withMemory(MemoryPart.Opened::stopJobs))
                .then("embedding workers", settings.config().drainMillis() + STEP_MILLIS, () -> parts.embedding()
                        .stop())
                .then("database connections", STEP_MILLIS, () -> withMemory(MemoryPart.Opened::close))
                .then("read workers", STEP_MILLIS, readers::close)
                .then("database", DATABASE_MILLIS, () -> parts.database().stop())
                // What the start was still doing when the stop came: it has nothing left to work on.
                .then("start", STEP_MILLIS, this::startHasEnded)
                .then("data directory", STEP_MILLIS, this::release)
                .run()
                .onSuccess(unconfirmed -> {
                    lifecycle.to(LifecycleState.STOPPED);
                    mine.complete(unconfirmed);
                });
        return mine.future();
    }

    private static void cancel(AtomicReference<Timers.@Nullable Timer> reference) {
        Timers.Timer timer = reference.getAndSet(null);
        if (timer != null) {
            timer.cancel();
        }
    }

    private Future<?> withMemory(Function<MemoryPart.Opened, Future<Void>> step) {
        MemoryPart.Opened services = memory;
        return services == null ? Future.succeededFuture() : step.apply(services);
    }

    private Future<?> startHasEnded() {
        Future<Void> started = starting.get();
        return started == null ? Future.succeededFuture() : started.otherwiseEmpty();
    }

    private Future<?> release() {
        DataDirectory held = directory.getAndSet(null);
        if (held == null) {
            return Future.succeededFuture();
        }
        return vertx.executeBlocking(() -> {
            held.close();
            return null;
        });
    }

    @Override
    public Phase phase() {
        return lifecycle.state().phase();
    }

    @Override
    public Services services() {
        MemoryPart.Opened services = memory;
        if (lifecycle.state().phase() == Phase.STOPPING) {
            throw stopped();
        }
        Probes running = probes;
        if (services == null || running == null || lifecycle.state() != LifecycleState.READY) {
            throw new FailureException(FailureCode.NOT_READY, "the gateway is starting").retryAfter(RETRY_SOON);
        }
        return new Services(
                services.memories(),
                services.jobs(),
                services.recall(),
                services.statistics(),
                parts.embedding().embedder(),
                parts.embedding().workers(),
                running,
                services.turns());
    }

    private static FailureException stopped() {
        return new FailureException(FailureCode.SHUTTING_DOWN, "the gateway is stopping").retryAfter(RETRY_SOON);
    }

    @Override
    public ReadWorkers readers() {
        return readers;
    }

    @Override
    public SettingsOperations settings() {
        return settings;
    }

    @Override
    public Overruns overruns() {
        return captures;
    }

    @Override
    public RecallgateConfig.Conversation conversation() {
        return settings.config().conversation();
    }

    /** The configuration now. */
    public RecallgateConfig config() {
        return settings.config();
    }

    @Override
    public Future<JsonObject> health() {
        Probes running = probes;
        return health.read(phase(), memory, running == null ? List.of() : running.reports());
    }
}
