package io.recallgate.gateway.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.gateway.config.ConfigFiles;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.gateway.conversation.evidence.CaptureOptions;
import io.recallgate.gateway.conversation.evidence.FlightRecorder;
import io.recallgate.gateway.conversation.evidence.OverrunCaptures;
import io.recallgate.recall.read.ReadLimits;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.time.SystemClock;
import io.vertx.core.Vertx;
import java.nio.file.Path;

/** A whole gateway with its PostgreSQL and its pool, which can be asked beside the gateway. Any thread. */
public final class MeasuredGateway {

    private final Recallgate gateway;
    private final LocalEmbedding embedding;

    /** Nothing is started yet; {@link #gateway()} does that. */
    public MeasuredGateway(Vertx vertx, SettingsHolder settings, Recallgate.Time time, MeterRegistry registry) {
        RecallgateConfig config = settings.config();
        embedding = new LocalEmbedding(vertx, config, time, registry);
        ReadWorkers readers = new ReadWorkers(ReadLimits.DEFAULTS, time.clock(), time.timers(), registry);
        gateway = new Recallgate(
                vertx,
                ConfigFiles.of(settings),
                time,
                new Parts(
                        new EmbeddedDatabase(
                                vertx,
                                time.clock(),
                                config.dataDir(),
                                config.database().poolSize()),
                        new RecallMemory(vertx, RecallMemory.Live.of(settings), time, registry, readers),
                        embedding),
                new Recallgate.Measured(readers, new SimpleMeterRegistry(), noCaptures()));
    }

    static OverrunCaptures noCaptures() {
        return new OverrunCaptures(
                new FlightRecorder(),
                new CaptureOptions(Path.of("captures"), 0),
                Runnable::run,
                SystemClock.INSTANCE,
                new SimpleMeterRegistry());
    }

    /** What is to be started, served and stopped. */
    public Recallgate gateway() {
        return gateway;
    }

    /** The gateway's own pool. */
    public Embedder embedder() {
        return embedding;
    }
}
