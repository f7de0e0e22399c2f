package io.recallgate.gateway.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ConfigFiles;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.recall.read.ReadLimits;
import io.recallgate.recall.read.ReadWorkers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.atomic.AtomicLong;

/** A whole gateway with its PostgreSQL, whose embedder takes all that it is given and answers nothing. Any thread. */
public final class StalledGateway {

    private static final ModelIdentity MODEL = new ModelIdentity("stalled", "stalled-1", 384, 512);

    private final AtomicLong asked = new AtomicLong();
    private final Recallgate gateway;

    /** Nothing is started yet; {@link #gateway()} does that. */
    public StalledGateway(Vertx vertx, SettingsHolder settings, Recallgate.Time time, MeterRegistry registry) {
        RecallgateConfig config = settings.config();
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
                        new Stalled()),
                new Recallgate.Measured(readers, new SimpleMeterRegistry(), MeasuredGateway.noCaptures()));
    }

    /** What is to be started, served and stopped. */
    public Recallgate gateway() {
        return gateway;
    }

    /** Embeddings that were asked for, none of which was answered. */
    public long asked() {
        return asked.get();
    }

    private final class Stalled implements EmbeddingPart, Embedder {

        @Override
        public Future<Void> start() {
            return Future.succeededFuture();
        }

        @Override
        public Embedder embedder() {
            return this;
        }

        @Override
        public WorkerOperations workers() {
            return new NoEmbedding.Nobody();
        }

        @Override
        public JsonObject health() {
            return new JsonObject().put("status", "ready");
        }

        @Override
        public Future<Void> stop() {
            return Future.succeededFuture();
        }

        @Override
        public Future<ModelIdentity> model() {
            return Future.succeededFuture(MODEL);
        }

        @Override
        public Future<EmbedResult> embed(EmbedRequest request) {
            asked.incrementAndGet();
            Promise<EmbedResult> never = Promise.promise();
            request.cancel().onCancel(cause -> never.tryFail(new FailureException(FailureCode.CANCELLED, "given up")));
            return never.future();
        }
    }
}
