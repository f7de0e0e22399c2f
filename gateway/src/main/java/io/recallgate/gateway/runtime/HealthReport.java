package io.recallgate.gateway.runtime;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.probe.ProbeJson;
import io.recallgate.gateway.probe.ProbeReport;
import io.recallgate.gateway.runtime.GatewayRuntime.Phase;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Health in detail. Reading it costs at most two pings of the database in a second, whoever asks how often. */
final class HealthReport {

    /** How old an answer may be; with what a silent database is given, readiness ends within a second and a half. */
    private static final long FRESH_MILLIS = 500;

    /** Every answer is there within a second, and a ping that is shared has begun at most half of one before. */
    private static final long PING_MILLIS = 900;

    private final Clock clock;
    private final Timers timers;
    private final Parts parts;
    private final Supplier<List<String>> staleFiles;
    private final AtomicReference<@Nullable Ping> last = new AtomicReference<>();

    /** A ping that is under way or young enough; those who ask meanwhile share it. */
    private record Ping(Deadline freshUntil, Future<Void> result) {}

    HealthReport(Recallgate.Time time, Parts parts, Supplier<List<String>> staleFiles) {
        this.clock = time.clock();
        this.timers = time.timers();
        this.parts = parts;
        this.staleFiles = staleFiles;
    }

    /** @param probes none before they are there */
    Future<JsonObject> read(Phase phase, MemoryPart.@Nullable Opened memory, List<ProbeReport> probes) {
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
                .transform(pinged -> Future.succeededFuture(detail(phase, memory, embedding, probes, pinged.cause())));
    }

    private JsonObject detail(
            Phase phase,
            MemoryPart.Opened memory,
            JsonObject embedding,
            List<ProbeReport> probes,
            @Nullable Throwable databaseTrouble) {
        JsonObject database = component(databaseTrouble == null ? "ready" : "unavailable")
                .put("kind", parts.database().describe())
                .put("server", memory.facts().getString("server"));
        if (databaseTrouble != null) {
            FailureCode reason = FailureException.of(databaseTrouble).code();
            // That it is our own clock which ended the wait says nothing else about the database.
            database.put(
                    "reason",
                    (reason == FailureCode.DEADLINE_EXCEEDED ? FailureCode.DATABASE_UNAVAILABLE : reason).code());
        }
        List<String> stale = staleFiles.get();
        JsonObject configuration = component(stale.isEmpty() ? "ready" : "stale");
        if (!stale.isEmpty()) {
            configuration.put("files", new JsonArray(stale));
        }
        boolean degraded = !stale.isEmpty()
                || probes.stream().anyMatch(probe -> probe.health().state().degrades());
        return new JsonObject()
                .put("status", status(phase, embedding, degraded, databaseTrouble))
                .put("database", database)
                .put(
                        "migrations",
                        component("ready").put("schema", memory.facts().getString("schema")))
                .put("strict", component("ready").put("index", memory.facts().getString("trigrams")))
                .put("embedding", embedding)
                .put("jobs", component(databaseTrouble == null ? "ready" : "waiting"))
                .put("probes", ProbeJson.health(probes))
                .put("configuration", configuration);
    }

    private static String status(
            Phase phase, JsonObject embedding, boolean degraded, @Nullable Throwable databaseTrouble) {
        if (databaseTrouble != null) {
            return "unavailable";
        }
        if (phase != Phase.READY) {
            return phase.name().toLowerCase(Locale.ROOT);
        }
        String status = embedding.getString("status");
        // Without a provider by choice there is nothing to mend, but recall is still lexical only: that is a
        // degradation.
        return "ready".equals(status) && !degraded ? "ready" : "degraded";
    }

    private Future<Void> ping(MemoryPart.Opened memory) {
        Ping known = last.get();
        if (known != null && !known.freshUntil().isPassed()) {
            return known.result();
        }
        Deadline fresh = Deadline.afterMillis(clock, FRESH_MILLIS);
        Ping ping = new Ping(fresh, bounded(memory));
        last.compareAndSet(known, ping);
        return ping.result();
    }

    /** Whatever hangs, and whoever forgets a deadline: the answer does not wait for it. */
    private Future<Void> bounded(MemoryPart.Opened memory) {
        Promise<Void> answer = Promise.promise();
        Timers.Timer timer = timers.schedule(
                TimeUnit.MILLISECONDS.toNanos(PING_MILLIS),
                () -> answer.tryFail(
                        new FailureException(FailureCode.DATABASE_UNAVAILABLE, "the database does not answer")));
        memory.ping(Deadline.afterMillis(clock, PING_MILLIS)).onComplete(pinged -> {
            timer.cancel();
            if (pinged.succeeded()) {
                answer.tryComplete();
            } else {
                answer.tryFail(pinged.cause());
            }
        });
        return answer.future();
    }

    private static JsonObject component(String status) {
        return new JsonObject().put("status", status);
    }
}
