package io.recallgate.gateway.runtime;

import io.recallgate.failure.FailureException;
import io.recallgate.gateway.runtime.GatewayRuntime.Phase;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Health in detail. Reading it costs at most two pings of the database in a second, whoever asks how often. */
final class HealthReport {

    /** How old an answer may be; with the second that a silent database is given, readiness ends within two. */
    private static final long FRESH_MILLIS = 500;

    /** A little more than the database gives itself, so that its reason is the one that is told. */
    private static final long PING_MILLIS = 1_250;

    private final Clock clock;
    private final Parts parts;
    private final Supplier<List<String>> staleFiles;
    private final AtomicReference<@Nullable Ping> last = new AtomicReference<>();

    /** A ping that is under way or young enough; those who ask meanwhile share it. */
    private record Ping(Deadline freshUntil, Future<Void> result) {}

    HealthReport(Clock clock, Parts parts, Supplier<List<String>> staleFiles) {
        this.clock = clock;
        this.parts = parts;
        this.staleFiles = staleFiles;
    }

    Future<JsonObject> read(Phase phase, MemoryPart.@Nullable Opened memory) {
        JsonObject embedding = parts.embedding().health();
        if (memory == null || phase == Phase.STOPPING) {
            return Future.succeededFuture(new JsonObject()
                    .put("status", phase == Phase.STOPPING ? "stopping" : "starting")
                    .put(
                            "database",
                            component(phase == Phase.STOPPING ? "stopping" : "starting")
                                    .put("kind", parts.database().describe()))
                    .put("migrations", component("pending"))
                    .put("embedding", embedding)
                    .put("jobs", component("pending")));
        }
        return ping(memory)
                .transform(pinged -> Future.succeededFuture(detail(phase, memory, embedding, pinged.cause())));
    }

    private JsonObject detail(
            Phase phase, MemoryPart.Opened memory, JsonObject embedding, @Nullable Throwable databaseTrouble) {
        JsonObject database = component(databaseTrouble == null ? "ready" : "unavailable")
                .put("kind", parts.database().describe())
                .put("server", memory.facts().getString("server"));
        if (databaseTrouble != null) {
            database.put("reason", FailureException.of(databaseTrouble).code().code());
        }
        List<String> stale = staleFiles.get();
        JsonObject configuration = component(stale.isEmpty() ? "ready" : "stale");
        if (!stale.isEmpty()) {
            configuration.put("files", new JsonArray(stale));
        }
        return new JsonObject()
                .put("status", status(phase, embedding, stale, databaseTrouble))
                .put("database", database)
                .put(
                        "migrations",
                        component("ready").put("schema", memory.facts().getString("schema")))
                .put("strict", component("ready").put("index", memory.facts().getString("trigrams")))
                .put("embedding", embedding)
                .put("jobs", component(databaseTrouble == null ? "ready" : "waiting"))
                .put("configuration", configuration);
    }

    private static String status(
            Phase phase, JsonObject embedding, List<String> stale, @Nullable Throwable databaseTrouble) {
        if (databaseTrouble != null) {
            return "unavailable";
        }
        if (phase != Phase.READY) {
            return phase.name().toLowerCase(Locale.ROOT);
        }
        String status = embedding.getString("status");
        // Without a provider by choice there is nothing to mend, but recall is still lexical only: that is a
        // degradation.
        return "ready".equals(status) && stale.isEmpty() ? "ready" : "degraded";
    }

    private Future<Void> ping(MemoryPart.Opened memory) {
        Ping known = last.get();
        if (known != null && !known.freshUntil().isPassed()) {
            return known.result();
        }
        Deadline fresh = Deadline.afterMillis(clock, FRESH_MILLIS);
        Ping ping = new Ping(fresh, memory.ping(Deadline.afterMillis(clock, PING_MILLIS)));
        last.compareAndSet(known, ping);
        return ping.result();
    }

    private static JsonObject component(String status) {
        return new JsonObject().put("status", status);
    }
}
