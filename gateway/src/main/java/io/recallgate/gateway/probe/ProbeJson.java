package io.recallgate.gateway.probe;

import io.recallgate.gateway.probe.ProbeView.Due;
import io.recallgate.gateway.probe.ProbeView.Flight;
import io.recallgate.gateway.probe.ProbeView.Generation;
import io.recallgate.gateway.probe.ProbeView.Settled;
import io.recallgate.gateway.probe.ProbeView.StopReason;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Probes as operators see them. */
public final class ProbeJson {

    private ProbeJson() {}

    /** The body of {@code GET /v1/probes}. */
    public static JsonObject of(List<ProbeReport> reports) {
        JsonArray probes = new JsonArray();
        reports.forEach(report -> probes.add(of(report)));
        return new JsonObject().put("probes", probes);
    }

    /** What health has of them: little, since it is asked for often. */
    public static JsonObject health(List<ProbeReport> reports) {
        boolean degraded =
                reports.stream().anyMatch(report -> report.health().state().degrades());
        boolean off = reports.stream().allMatch(report -> report.health().state() == HealthState.DISABLED);
        JsonObject health = new JsonObject().put("status", degraded ? "degraded" : off ? "off" : "ready");
        reports.forEach(report -> health.put(report.name().wireName(), of(report.health())));
        return health;
    }

    private static JsonObject of(ProbeHealth health) {
        return new JsonObject()
                .put("state", health.state().wireName())
                .put("cause", health.cause())
                .put("age_ms", millis(health.ageNanos()));
    }

    private static JsonObject of(ProbeReport report) {
        ProbeView view = report.view();
        ProbeOptions options = view.options();
        long now = report.atNanos();
        JsonArray warnings = new JsonArray();
        view.warnings().stream()
                .sorted()
                .forEach(warning -> warnings.add(
                        new JsonObject().put("code", warning.wireName()).put("detail", words(warning, view))));
        return new JsonObject()
                .put("name", report.name().wireName())
                .mergeIn(of(report.health()))
                .put("gate", view.state().wireName())
                .put("cadence_ms", options.cadenceMillis())
                .put("duty", options.duty())
                .put("budget_ms", options.budgetMillis())
                .put("generation", of(view.generation()))
                .put("result", of(view.result(), now))
                .put("flight", of(view.flight(), now))
                .put("next", of(view.due(), now))
                .put("waiting", view.waiting())
                .put("failures", view.failures())
                .put("stop_reason", of(view.stopReason()))
                .put("counts", of(view.counts()))
                .put("warnings", warnings);
    }

    private static @Nullable JsonObject of(@Nullable Generation generation) {
        return generation == null
                ? null
                : new JsonObject()
                        .put("id", generation.id())
                        .put("provider", generation.key().provider())
                        .put("model", generation.key().model())
                        .put("fingerprint", generation.key().fingerprint())
                        .put("dimensions", generation.key().dimensions());
    }

    /** An attempt that has ended. */
    public static JsonObject of(Settled result) {
        ProbeOutcome outcome = result.outcome();
        Long idle = result.flight().idleNanos();
        return new JsonObject()
                .put("attempt", result.flight().id())
                .put("outcome", outcome.verdict().name().toLowerCase(Locale.ROOT))
                .put("cause", outcome.cause())
                .put("detail", outcome.detail())
                .put("mode", outcome.mode())
                .put("idle_before_ms", idle == null ? null : decimal(idle))
                .put("span_ms", decimal(result.spanNanos()))
                .put("charged_ms", decimal(result.chargedNanos()))
                .put("abandoned", outcome.abandoned())
                .put("generation", result.flight().generation());
    }

    private static @Nullable JsonObject of(@Nullable Settled result, long now) {
        return result == null ? null : of(result).put("age_ms", millis(now - result.settledNanos()));
    }

    private static @Nullable JsonObject of(@Nullable Flight flight, long now) {
        return flight == null
                ? null
                : new JsonObject()
                        .put("attempt", flight.id())
                        .put("age_ms", millis(now - flight.startNanos()))
                        .put("budget_ms", millis(flight.budgetNanos()))
                        .put("generation", flight.generation());
    }

    private static @Nullable JsonObject of(@Nullable Due due, long now) {
        return due == null
                ? null
                : new JsonObject()
                        .put("in_ms", Math.max(0, millis(due.atNanos() - now)))
                        .put("waits_for", due.cause().wireName());
    }

    private static @Nullable JsonObject of(@Nullable StopReason reason) {
        return reason == null
                ? null
                : new JsonObject()
                        .put("code", "too-many-failures")
                        .put("failures", reason.failures())
                        .put("allowed", reason.allowed());
    }

    private static JsonObject of(ProbeView.Counts counts) {
        JsonObject attempts = new JsonObject();
        for (ProbeOutcome.Verdict verdict : ProbeOutcome.Verdict.values()) {
            attempts.put(
                    verdict.name().toLowerCase(Locale.ROOT), counts.attempts().getOrDefault(verdict, 0L));
        }
        JsonObject skipped = new JsonObject();
        for (SkipCause cause : SkipCause.values()) {
            skipped.put(cause.wireName(), counts.skipped().getOrDefault(cause, 0L));
        }
        return new JsonObject()
                .put("attempts", attempts)
                .put("skipped_ticks", skipped)
                .put("charged_ms", decimal(counts.chargedNanos()))
                .put("abandoned", counts.abandoned())
                .put("dropped", counts.dropped());
    }

    /** A warning in a sentence. */
    static String words(ProbeWarning warning, ProbeView view) {
        ProbeOptions options = view.options();
        long cost = view.charged() == null ? 0 : view.charged().nanos();
        return switch (warning) {
            case PACING_OFF -> "no floor is set, since the duty is " + options.duty() + " and not between 0 and 1";
            case BUDGET_ABOVE_CADENCE ->
                "an attempt may take " + options.budgetMillis() + " ms, and the cadence is " + options.cadenceMillis()
                        + " ms";
            case TICKS_SKIPPED ->
                "an attempt was charged " + millis(cost) + " ms, more than " + millis(options.affordableNanos())
                        + " ms, which is the duty of the cadence: ticks are left out, and the next attempt begins "
                        + millis(options.periodNanos(cost)) + " ms after this one began";
            case COST_ABOVE_CADENCE ->
                "an attempt was charged " + millis(cost) + " ms, no less than the cadence of " + options.cadenceMillis()
                        + " ms";
        };
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** Milliseconds to the microsecond. */
    private static double decimal(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos) / 1_000.0;
    }
}
