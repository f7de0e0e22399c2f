package io.recallgate.embedding.remote;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.embedding.bus.EmbedEndpoint;
import io.recallgate.time.Clock;
import io.recallgate.time.SystemClock;
import io.recallgate.time.Timers;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One remote provider of a node. Deploy one instance on an event loop; it serves {@code recallgate.embed} and its
 * siblings as the local pool does. The deployment does not wait for the provider, and asks nothing of it.
 *
 * <p>The handles may be taken once the deployment has completed, and may be used on any thread.
 */
public final class RemoteVerticle extends VerticleBase {

    private final RemoteOptions options;
    private final MeterRegistry registry;
    private final LongSupplier queryLimitMillis;
    private final Clock clock;
    private final @Nullable Timers timers;
    private @Nullable RemoteDriver driver;
    private @Nullable RemoteEmbedder embedder;
    private @Nullable RemoteMetrics metrics;

    /**
     * On the machine's clock.
     *
     * @param queryLimitMillis the bound on a query's embedding that is in force; read on each use, on any thread
     */
    public RemoteVerticle(RemoteOptions options, MeterRegistry registry, LongSupplier queryLimitMillis) {
        this(options, registry, queryLimitMillis, SystemClock.INSTANCE, null);
    }

    /**
     * On another clock.
     *
     * @param timers that belong to it, null for those of the Vert.x instance
     */
    public RemoteVerticle(
            RemoteOptions options,
            MeterRegistry registry,
            LongSupplier queryLimitMillis,
            Clock clock,
            @Nullable Timers timers) {
        this.options = options;
        this.registry = registry;
        this.queryLimitMillis = queryLimitMillis;
        this.clock = clock;
        this.timers = timers;
    }

    @Override
    public Future<?> start() {
        Executor place = action -> context.runOnContext(ignored -> action.run());
        RemoteMetrics gauges = new RemoteMetrics(registry);
        RemoteDriver made = new RemoteDriver(
                vertx,
                options,
                new RemoteDriver.Time(clock, timers == null ? new VertxTimers(vertx) : timers, queryLimitMillis),
                place,
                gauges);
        RemoteEmbedder outside = new RemoteEmbedder(made, options, vertx, place, clock);
        driver = made;
        embedder = outside;
        metrics = gauges;
        return new EmbedEndpoint(vertx, outside, outside, clock).register();
    }

    /** Embeds at the provider. */
    public Embedder embedder() {
        return deployed(embedder);
    }

    /** Shows the provider. */
    public WorkerOperations operations() {
        return deployed(embedder);
    }

    /** The provider as its last event left it; on any thread, without a wait. */
    public RemoteSnapshot latest() {
        return deployed(driver).latest();
    }

    /** Answers everybody who waits with {@code shutting-down} and closes every connection. */
    @Override
    public Future<?> stop() {
        RemoteDriver running = driver;
        RemoteMetrics gauges = metrics;
        if (running == null || gauges == null) {
            return Future.succeededFuture();
        }
        return running.shutdown().onComplete(closed -> gauges.close());
    }

    private static <T> T deployed(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("deploy the verticle first");
        }
        return part;
    }
}
