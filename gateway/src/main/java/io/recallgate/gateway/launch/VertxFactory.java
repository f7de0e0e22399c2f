package io.recallgate.gateway.launch;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Vert.x of a gateway process. */
final class VertxFactory {

    private static final Logger LOG = LoggerFactory.getLogger(VertxFactory.class);

    /** Routes hand everything that blocks to workers, so more loops than cores only move work between caches. */
    private static final int MIN_EVENT_LOOPS = 2;

    /** Blocking work of the gateway is files, migrations and process control; embedding has its own pools. */
    private static final int WORKERS = 8;

    /** Warns long before somebody notices. */
    private static final long BLOCKED_LOOP_MILLIS = 500;

    /** Migrations and the first start of PostgreSQL take seconds, rarely minutes. */
    private static final long BLOCKED_WORKER_MINUTES = 5;

    private VertxFactory() {}

    static int eventLoops() {
        return Math.max(MIN_EVENT_LOOPS, Runtime.getRuntime().availableProcessors());
    }

    static Vertx create(MeterRegistry registry) {
        MicrometerMetricsOptions metrics = new MicrometerMetricsOptions()
                .setEnabled(true)
                .setJvmMetricsEnabled(true)
                // Addresses, pool names, paths and methods come from outside or carry generations: unbounded values.
                .setLabels(EnumSet.of(Label.HTTP_CODE, Label.EB_FAILURE))
                .addDisabledMetricsCategory(MetricsDomain.VERTICLES)
                .addDisabledMetricsCategory(MetricsDomain.NAMED_POOLS)
                .addDisabledMetricsCategory(MetricsDomain.NET_CLIENT)
                .addDisabledMetricsCategory(MetricsDomain.NET_SERVER)
                .addDisabledMetricsCategory(MetricsDomain.DATAGRAM_SOCKET);
        VertxOptions options = new VertxOptions()
                .setMetricsOptions(metrics)
                .setEventLoopPoolSize(eventLoops())
                .setWorkerPoolSize(WORKERS)
                .setInternalBlockingPoolSize(WORKERS)
                .setBlockedThreadCheckInterval(1_000)
                .setMaxEventLoopExecuteTime(BLOCKED_LOOP_MILLIS)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
                .setMaxWorkerExecuteTime(BLOCKED_WORKER_MINUTES)
                .setMaxWorkerExecuteTimeUnit(TimeUnit.MINUTES)
                // Nothing is served from the class path, so nothing needs a copy of it in the temporary directory.
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
        Vertx vertx = Vertx.builder()
                .with(options)
                .withMetrics(new MicrometerMetricsFactory(registry))
                .build();
        vertx.exceptionHandler(error -> LOG.error("an uncaught error in a handler", error));
        return vertx;
    }
}
