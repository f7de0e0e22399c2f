package io.recallgate.recall.api;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Recalls of a scope over a window.
 *
 * @param window how far back it looked
 * @param sampled whether there were more than {@link #MAX_RECALLS}, so that only the newest of them are counted
 * @param modes by the mode asked for; a mode that nobody asked for is absent
 * @param log the log that it was read from, on the answering node since its start
 */
public record RecallStats(Duration window, boolean sampled, Map<RecallMode, Mode> modes, Log log) {

    /** How many recalls are looked at: beyond this a percentile does not become better, only later. */
    public static final int MAX_RECALLS = 100_000;

    /** From here a recall is slow: somebody waits and notices. */
    public static final long SLOW_MILLIS = 3_000;

    /** From this share of degraded answers on there is advice: one in a hundred may be bad luck. */
    private static final double NOTABLE_SHARE = 0.01;

    /** Copies the modes. */
    public RecallStats {
        modes = Map.copyOf(modes);
    }

    /**
     * One mode.
     *
     * @param n recalls that were begun
     * @param failed of these, without an answer
     * @param cancelled of these, given up by their callers
     * @param slow answers that took {@link #SLOW_MILLIS} and more
     * @param gaps knowledge gaps: answers without hits to a question, from which nothing was left out
     * @param spans of the answers; null if there was none
     * @param reasons degraded answers by why they were
     */
    public record Mode(
            long n,
            long failed,
            long cancelled,
            long slow,
            long gaps,
            @Nullable Spans spans,
            Map<DegradeReason, Long> reasons) {

        /** Copies the reasons. */
        public Mode {
            reasons = Map.copyOf(reasons);
        }

        /** Answers that were less than asked for. */
        public long degraded() {
            return reasons.values().stream().mapToLong(Long::longValue).sum();
        }

        /** Of the answers, which share was degraded; 0 to 1. */
        public double share() {
            long answered = n - failed - cancelled;
            return answered <= 0 ? 0 : (double) degraded() / answered;
        }
    }

    /** Milliseconds from the call to the answer. */
    public record Spans(double p50, double p80, double p90, double p95, double p99, double max) {}

    /**
     * The log.
     *
     * @param questions what it has of them
     * @param written recalls in it
     * @param dropped recalls that are missing, because it could not be written fast enough or at all
     */
    public record Log(RecallLogPolicy.Questions questions, long written, long dropped) {}

    /** What to do about the degradation there is; empty if there is hardly any. */
    public Optional<String> advice() {
        Mode hybrid = modes.get(RecallMode.HYBRID);
        if (hybrid == null || hybrid.share() < NOTABLE_SHARE) {
            return Optional.empty();
        }
        return hybrid.reasons().entrySet().stream()
                .max(Map.Entry.<DegradeReason, Long>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .map(most -> most.getKey().advice());
    }

    /** The answer to {@code GET /v1/recall/stats}. */
    public JsonObject toJson() {
        JsonObject byMode = new JsonObject();
        new TreeMap<>(modes).forEach((mode, stats) -> byMode.put(mode.wireName(), json(stats)));
        return new JsonObject()
                .put("window_seconds", window.toSeconds())
                .put("sampled", sampled)
                .put("modes", byMode)
                .put("advice", advice().orElse(null))
                .put(
                        "log",
                        new JsonObject()
                                .put("questions", log.questions().wireName())
                                .put("written", log.written())
                                .put("dropped", log.dropped()));
    }

    private static JsonObject json(Mode mode) {
        JsonObject reasons = new JsonObject();
        new TreeMap<>(mode.reasons()).forEach((reason, count) -> reasons.put(reason.wireName(), count));
        Spans spans = mode.spans();
        return new JsonObject()
                .put("n", mode.n())
                .put("failed", mode.failed())
                .put("cancelled", mode.cancelled())
                .put("slow", mode.slow())
                .put("knowledge_gaps", mode.gaps())
                .put(
                        "degraded",
                        new JsonObject()
                                .put("n", mode.degraded())
                                .put("share", Math.round(mode.share() * 10_000) / 10_000.0)
                                .put("reasons", reasons))
                .put(
                        "total_ms",
                        spans == null
                                ? null
                                : new JsonObject()
                                        .put("p50", rounded(spans.p50()))
                                        .put("p80", rounded(spans.p80()))
                                        .put("p90", rounded(spans.p90()))
                                        .put("p95", rounded(spans.p95()))
                                        .put("p99", rounded(spans.p99()))
                                        .put("max", rounded(spans.max())));
    }

    private static double rounded(double millis) {
        return Math.round(millis * 100) / 100.0;
    }
}
