package io.recallgate.gateway.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.schema.Schema;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;

/** The recall module on a database: schema first, then the services on it. */
final class RecallMemory implements MemoryPart {

    private final Vertx vertx;

    RecallMemory(Vertx vertx, Supplier<RecallSettings> settings, Recallgate.Time time, MeterRegistry registry) {
        this.vertx = vertx;
    }

    @Override
    public Future<Opened> open(DatabaseOptions options, Embedder embedder) {
        return Schema.migrate(vertx, options).compose(report -> Future.failedFuture("not assembled yet"));
    }
}
