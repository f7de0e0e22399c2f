package io.recallgate.gateway.cli.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleToIntFunction;

/** Writes down what {@code GET /v1/probes} shows, look by look. Used by one thread. */
final class ProbeWatch {

    private final Map<String, Producer> producers = new LinkedHashMap<>();

    /** One probe as it was seen. */
    static final class Producer {
        final List<Attempt> attempts = new ArrayList<>();
        /** Looks by state, for each phase. */
        final Map<Integer, Map<String, Integer>> states = new HashMap<>();

        /** Ticks left out so far but for those in a back-off, at the end of each phase. */
        final Map<Integer, Long> skipped = new HashMap<>();

        private long lastAttempt;
        private int failures;
    }

    /**
     * An attempt.
     *
     * @param phase in which it began
     * @param id counts attempts
     * @param startMillis on the watch's clock, as exact as a look
     * @param idleMillis since the one before ended, exact
     * @param spanMillis from its beginning to its end
     * @param chargedMillis what it cost
     * @param abandoned whether the provider worked on
     * @param failures in a row, with it
     */
    record Attempt(
            int phase,
            long id,
            double startMillis,
            double idleMillis,
            double spanMillis,
            double chargedMillis,
            boolean abandoned,
            int failures) {
        /** Whether nothing was missed in between. */
        boolean isFollowedBy(Attempt next) {
            return next.id == id + 1;
        }
    }

    Map<String, Producer> producers() {
        return producers;
    }

    /**
     * Takes a look.
     *
     * @param phaseAt in which phase an instant is
     * @param nowMillis when the answer came
     */
    void look(JsonObject body, int phase, DoubleToIntFunction phaseAt, double nowMillis) {
        JsonArray probes = body.getJsonArray("probes");
        for (int i = 0; i < probes.size(); i++) {
            JsonObject probe = probes.getJsonObject(i);
            Producer producer = producers.computeIfAbsent(probe.getString("name"), name -> new Producer());
            producer.states
                    .computeIfAbsent(phase, first -> new TreeMap<>())
                    .merge(probe.getString("state"), 1, Integer::sum);
            JsonObject skipped = probe.getJsonObject("counts").getJsonObject("skipped_ticks");
            producer.skipped.put(
                    phase, skipped.getLong("flight") + skipped.getLong("pacing") + skipped.getLong("late"));
            if (probe.getValue("result") instanceof JsonObject result) {
                settled(producer, result, phaseAt, nowMillis);
            }
        }
    }

    private static void settled(Producer producer, JsonObject result, DoubleToIntFunction phaseAt, double nowMillis) {
        long attempt = result.getLong("attempt");
        if (attempt == producer.lastAttempt) {
            return;
        }
        producer.lastAttempt = attempt;
        producer.failures = result.getString("outcome").equals("healthy") ? 0 : producer.failures + 1;
        double span = result.getDouble("span_ms");
        double start = nowMillis - result.getLong("age_ms") - span;
        producer.attempts.add(new Attempt(
                phaseAt.applyAsInt(start),
                attempt,
                start,
                result.getDouble("idle_before_ms", 0.0),
                span,
                result.getDouble("charged_ms"),
                result.getBoolean("abandoned"),
                producer.failures));
    }
}
