package io.recallgate.embedding;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.embedding.bus.EmbedEndpoint;
import io.recallgate.embedding.model.NativeModelFactory;
import io.recallgate.embedding.model.TextModelFactory;
import io.recallgate.embedding.pool.PoolEvent;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.embedding.pool.ShutdownReport;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.WorkerExit;
import io.recallgate.embedding.wire.WorkerCodec;
import io.recallgate.embedding.worker.WorkerAddress;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.Timers;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One embedding pool of a node. Deploy one instance on an event loop; it starts all its workers at once, and {@link
 * #ready()} completes when the first has its model loaded. The deployment itself does not wait for that.
 *
 * <p>The handles may be taken once the deployment has completed, and may be used on any thread.
 *
 * <p>A launcher must be able to end native runs before the process exits: see {@link ProcessSignals} for the order. Its
 * steps are {@link #shutdown}, bounded, and {@link ProcessSignals#endProcess}, which halts when a thread is stuck.
 */
public final class EmbeddingVerticle extends VerticleBase {

    private static final Logger log = LoggerFactory.getLogger(EmbeddingVerticle.class);

    /** Container limits can change under way, but rarely do. */
    private static final long MEMORY_SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** What messages between shutdown steps may take beyond their own bounds. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    private final EmbeddingOptions options;
    private final MeterRegistry registry;
    private final TextModelFactory factory;
    private final Clock clock;
    private final Machine machine;
    private final String poolName = UUID.randomUUID().toString().substring(0, 8);
    private @Nullable PoolDriver driver;
    private @Nullable PoolMetrics metrics;
    private Timers.@Nullable Timer memoryTimer;
    private @Nullable MemoryLimit memoryLimit;
    private boolean stopping;

    /** A pool of native models on the machine's clock. */
    public EmbeddingVerticle(EmbeddingOptions options, MeterRegistry registry) {
        this(options, registry, new NativeModelFactory(options.dataDirectory()), SystemClock.INSTANCE);
    }

    /**
     * A pool of models from elsewhere, such as scripted ones in tests.
     *
     * @param factory called on worker threads
     * @param clock measures deadlines and spans; timers are the Vert.x instance's
     */
    public EmbeddingVerticle(EmbeddingOptions options, MeterRegistry registry, TextModelFactory factory, Clock clock) {
        this(options, registry, factory, clock, new Machine(VertxTimers::new, MemoryBudget::read));
    }

    /** @param machine whose timers belong to {@code clock} */
    EmbeddingVerticle(
            EmbeddingOptions options, MeterRegistry registry, TextModelFactory factory, Clock clock, Machine machine) {
        this.options = options;
        this.registry = registry;
        this.factory = factory;
        this.clock = clock;
        this.machine = machine;
    }

    /**
     * What a pool is given by where it runs.
     *
     * @param timers on the verticle's context
     * @param memory what is left for workers, given what they are charged with; called on worker threads
     */
    record Machine(Function<Context, Timers> timers, LongFunction<MemoryBudget> memory) {}

    @Override
    public Future<?> start() {
        WorkerCodec.register(vertx);
        PoolLimits limits = options.limits();
        Turns turns = new Turns(context);
        WorkerFleet fleet = new WorkerFleet(
                vertx, turns, factory, new WorkerFleet.Settings(poolName, longest(limits.watchdogs()), clock));
        PoolMetrics gauges = new PoolMetrics(registry, limits.slots(), clock);
        PoolDriver pool = new PoolDriver(
                context,
                turns,
                options,
                fleet,
                gauges,
                new PoolDriver.Time(clock, machine.timers().apply(context)));
        metrics = gauges;
        driver = pool;
        Future<Void> listening = vertx.eventBus()
                .localConsumer(
                        WorkerAddress.dispatcher(poolName), message -> pool.onPool(() -> hear(pool, message.body())))
                .completion();
        if (options.publicAddresses()) {
            EmbedEndpoint endpoint = new EmbedEndpoint(vertx, new PoolEmbedder(pool), new PoolOperations(pool), clock);
            listening = listening.compose(done -> endpoint.register());
        }
        return listening
                .compose(done -> sampleMemory(pool, gauges))
                .onSuccess(done -> pool.onPool(() -> pool.deliver(new PoolEvent.WarmUp(limits.slots()))));
    }

    /**
     * What a worker's thread may be busy with at a time. It both loads and runs, and Vert.x knows one bound for a thread:
     * with the shorter of the two it would warn of loads that are in order. Runs have a watchdog that logs by itself.
     */
    private static Duration longest(PoolLimits.Watchdogs watchdogs) {
        Duration loading = watchdogs.initialisation();
        Duration running = watchdogs.execution();
        return loading.compareTo(running) > 0 ? loading : running;
    }

    private static void hear(PoolDriver pool, Object message) {
        if (message instanceof WorkerExit exit) {
            pool.exited(exit.slot(), exit.generation());
        } else {
            pool.hear((FromWorker) message);
        }
    }

    /** Succeeds whatever becomes of it: a look that failed is counted and made again, and is no reason not to start. */
    private Future<Void> sampleMemory(PoolDriver pool, PoolMetrics gauges) {
        long charged = pool.latest().gate().chargedBytes();
        return OffLoop.run(context, () -> machine.memory().apply(charged))
                .onComplete(read -> pool.onPool(() -> {
                    if (read.succeeded()) {
                        sampled(pool, read.result());
                    } else {
                        gauges.memoryUnread();
                        log.warn(
                                "the memory for workers could not be read; what was read before holds, if anything was",
                                read.cause());
                    }
                    sampleAgain(pool, gauges);
                }))
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }

    /** In a turn of the pool, as is whatever touches these fields. */
    private void sampled(PoolDriver pool, MemoryBudget budget) {
        pool.deliver(new PoolEvent.MemorySample(budget.workerBytes()));
        if (!budget.limit().equals(memoryLimit)) {
            memoryLimit = budget.limit();
            log.info(
                    "workers may hold {} of {} MiB, which is the limit of {}",
                    budget.workerBytes() >> 20,
                    budget.limit().bytes() >> 20,
                    budget.limit().source());
        }
    }

    /** Also after one that failed. */
    private void sampleAgain(PoolDriver pool, PoolMetrics gauges) {
        if (!stopping) {
            memoryTimer = pool.schedule(MEMORY_SAMPLE_NANOS, () -> sampleMemory(pool, gauges));
        }
    }

    /** Embeds on this pool's workers. */
    public Embedder embedder() {
        return new PoolEmbedder(deployed());
    }

    /** Shows, restarts and replaces this pool's workers. */
    public WorkerOperations operations() {
        return new PoolOperations(deployed());
    }

    /**
     * The model once a worker has loaded it.
     *
     * @return completes on the caller's context; fails with {@code model-unusable}, whose detail is one line for the
     *     operator, when loading cannot succeed. Does not complete while starts fail in ways that may pass; bound the
     *     wait
     */
    public Future<ModelIdentity> ready() {
        PoolDriver pool = deployed();
        return pool.ask(pool::ready);
    }

    /** The pool as its last event left it; on any thread, without a wait. */
    public PoolSnapshot latest() {
        return deployed().latest();
    }

    /**
     * Ends the pool: callers are answered with {@code shutting-down}, running work may finish within the drain bound
     * and is terminated then, workers are retired. Idempotent; a later call joins.
     *
     * @param deadline when to stop waiting; what is not confirmed by then is reported
     * @return completes on the caller's context, never fails. A report that is not clean means that a thread may be
     *     inside native code: end the process with {@link ProcessSignals#endProcess}
     */
    public Future<ShutdownReport> shutdown(Deadline deadline) {
        PoolDriver pool = deployed();
        return pool.ask(() -> shutdownOnPool(pool, deadline));
    }

    private Future<ShutdownReport> shutdownOnPool(PoolDriver pool, Deadline deadline) {
        stopSampling();
        Promise<ShutdownReport> first = Promise.promise();
        Timers.Timer timer = pool.schedule(deadline.remainingNanos(), () -> {
            if (first.tryComplete(pool.unconfirmed())) {
                log.warn(
                        "the embedding pool did not end in time: {}",
                        first.future().result());
            }
        });
        pool.shutdown().onSuccess(report -> {
            timer.cancel();
            first.tryComplete(report);
        });
        return first.future();
    }

    @Override
    public Future<?> stop() {
        PoolDriver pool = driver;
        PoolMetrics gauges = metrics;
        if (pool == null || gauges == null) {
            return Future.succeededFuture();
        }
        PoolLimits.Watchdogs bounds = options.limits().watchdogs();
        Duration bound = bounds.drain()
                .plus(bounds.terminationGrace())
                .plus(bounds.exitGrace())
                .plus(SLACK);
        return shutdown(Deadline.after(clock, bound)).onComplete(done -> {
            pool.onPool(pool::disarm);
            gauges.close();
            if (done.succeeded() && !done.result().isClean()) {
                log.error("workers did not return: {}", done.result().unconfirmed());
            }
        });
    }

    private void stopSampling() {
        stopping = true;
        Timers.Timer timer = memoryTimer;
        if (timer != null) {
            timer.cancel();
        }
    }

    private PoolDriver deployed() {
        PoolDriver pool = driver;
        if (pool == null) {
            throw new IllegalStateException("deploy the verticle first");
        }
        return pool;
    }
}
