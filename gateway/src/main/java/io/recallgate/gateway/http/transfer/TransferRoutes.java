package io.recallgate.gateway.http.transfer;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.Parameters;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/memories/import} and {@code GET /v1/export}. */
public final class TransferRoutes {

    /** What both speak. */
    static final String NDJSON = "application/x-ndjson";

    /** The names that the format goes by. */
    public static final Set<String> NDJSON_TYPES =
            Set.of(NDJSON, "application/ndjson", "application/jsonl", "application/x-jsonlines");

    private static final Duration BUSY = Duration.ofSeconds(5);

    private final TransferParts parts;
    private final Semaphore imports;
    private final Semaphore exports;

    /** @param runtime asked for each batch */
    public TransferRoutes(GatewayRuntime runtime, HttpEnvironment environment, TransferOptions options) {
        imports = new Semaphore(options.imports());
        exports = new Semaphore(options.exports());
        parts = new TransferParts(
                runtime,
                new TransferClock(environment.clock(), environment.timers()),
                new Retrying(environment.timers()),
                options,
                new TransferMetrics(
                        environment.registry(),
                        () -> options.imports() - imports.availablePermits(),
                        () -> options.exports() - exports.availablePermits()));
    }

    /** The routes. */
    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(HttpMethod.POST, "/v1/memories/import", Right.WRITE, this::importMemories)
                        .body(NDJSON_TYPES)
                        .query("session")
                        .streaming(),
                Endpoint.of(HttpMethod.GET, "/v1/export", Right.READ, this::exportMemories)
                        .query("session")
                        .streaming());
    }

    private Future<Reply> importMemories(Exchange exchange) {
        String session = session(exchange);
        return oneOf(imports, "imports", () -> new MemoryImport(exchange, parts, session).run());
    }

    private Future<Reply> exportMemories(Exchange exchange) {
        String session = session(exchange);
        return oneOf(exports, "exports", () -> new MemoryExport(exchange, parts).run(session));
    }

    private static @Nullable String session(Exchange exchange) {
        return exchange.query("session").map(Parameters::session).orElse(null);
    }

    private static Future<Reply> oneOf(Semaphore places, String what, Supplier<Future<Reply>> work) {
        if (!places.tryAcquire()) {
            throw new FailureException(FailureCode.OVERLOADED, "too many " + what + " are running; try again later")
                    .retryAfter(BUSY);
        }
        try {
            return work.get().onComplete(over -> places.release());
        } catch (RuntimeException e) {
            places.release();
            throw e;
        }
    }
}
