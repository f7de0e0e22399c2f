package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.sessions.TurnSample.Kind;
import io.recallgate.gateway.cli.measure.Spans;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one scenario gave.
 *
 * @param samples of all requests that were answered
 * @param counts of what else happened
 * @param state of the gateway
 */
public record ScenarioResult(Scenario scenario, Samples samples, Counts counts, State state) {

    /** Whose spans are told one by one. */
    public static final List<String> PHASES =
            List.of("admit", "decode", "identify", "select", "fit", "assemble", "forward");

    /**
     * How the gateway was meanwhile.
     *
     * @param loopLagP99Millis bound of the event loops' lag, null when the gateway does not tell
     * @param peaks of what was held and what waited
     * @param jobsLeft that were to be embedded when it ended
     */
    public record State(@Nullable Double loopLagP99Millis, Peaks peaks, long jobsLeft) {}

    /**
     * How often.
     *
     * @param refused requests that were told to come back later
     * @param givenUp requests that were given up on the way
     * @param moves of windows
     * @param lost memory blocks of turns that were killed before they were stored
     */
    public record Counts(int refused, int givenUp, int moves, int lost) {}

    /** From the decoded body until the provider had it, of warm requests. */
    public Spans upstream() {
        return samples.upstream(Samples::isWarm);
    }

    /** The same of the sessions that began with so many messages. */
    public Spans upstream(int messages) {
        return samples.upstream(sample -> Samples.isWarm(sample) && sample.messages() == messages);
    }

    /** The same of the first requests after a start of the gateway. */
    public Spans fresh() {
        return samples.upstream(sample -> sample.kind() == Kind.FRESH);
    }

    /** The same of the first requests of sessions. */
    public Spans cold() {
        return samples.upstream(sample -> sample.kind() == Kind.COLD);
    }

    /** One phase of warm requests. */
    public Spans phase(String phase) {
        return samples.phase(phase, Samples::isWarm);
    }

    /** The lengths that sessions began with, the least first. */
    public List<Integer> lengths() {
        return List.copyOf(samples.lengths());
    }

    /** How many warm requests were sent another window than the full one. */
    public int fallbacks() {
        return samples.windows().entrySet().stream()
                .filter(entry -> !entry.getKey().equals("full"))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    /** Tokens of the windows of warm requests, about: the number that {@code percent} of them do not exceed. */
    public int windowTokens(int percent) {
        return samples.windowTokens(percent);
    }

    /** Reasons why something was left out, with their numbers. */
    public Map<String, Integer> degraded() {
        return samples.degraded();
    }

    /** For scripts. */
    public JsonObject toJson() {
        JsonObject byLength = new JsonObject();
        lengths()
                .forEach(length ->
                        byLength.put(Integer.toString(length), upstream(length).toJson()));
        JsonObject phases = new JsonObject();
        PHASES.forEach(phase -> phases.put(phase, phase(phase).toJson()));
        JsonObject windows = new JsonObject();
        samples.windows().forEach(windows::put);
        JsonObject reasons = new JsonObject();
        degraded().forEach(reasons::put);
        return new JsonObject()
                .put("scenario", scenario.label())
                .put("decode_ms", phase("decode").toJson())
                .put("upstream_ms", upstream().toJson())
                .put("upstream_ms_by_messages", byLength)
                .put("cold_upstream_ms", cold().toJson())
                .put(
                        "cold_decode_ms",
                        samples.phase("decode", sample -> sample.kind() == Kind.COLD)
                                .toJson())
                .put("fresh_upstream_ms", fresh().toJson())
                .put(
                        "fresh_decode_ms",
                        samples.phase("decode", sample -> sample.kind() == Kind.FRESH)
                                .toJson())
                .put("phases_ms", phases)
                .put("windows", windows)
                .put("degraded", reasons)
                .put("refused", counts.refused())
                .put("given_up", counts.givenUp())
                .put("window_moves", counts.moves())
                .put("blocks_lost_by_kills", counts.lost())
                .put(
                        "window_tokens",
                        new JsonObject()
                                .put("least", windowTokens(0))
                                .put("p50", windowTokens(50))
                                .put("most", windowTokens(100)))
                .put("event_loop_lag_p99_ms", state.loopLagP99Millis())
                .put(
                        "resident_bytes",
                        new JsonObject()
                                .put("most", state.peaks().residentBytes())
                                .put("last", state.peaks().lastResidentBytes()))
                .put(
                        "queue",
                        new JsonObject()
                                .put("most", state.peaks().queueDepth())
                                .put("oldest_age_ms", state.peaks().queueAgeMillis()))
                .put(
                        "jobs",
                        new JsonObject()
                                .put("most", state.peaks().jobs())
                                .put("oldest_age_ms", state.peaks().jobAgeMillis())
                                .put("left", state.jobsLeft()));
    }
}
