package io.recallgate.gateway.cli.measure;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** Percentiles of the gateway's event-loop lag, from its metrics. */
public final class LoopLag {

    /** Histogram of how late the loop's sampler ran, in seconds. */
    public static final String METRIC = "recallgate_event_loop_lag_seconds";

    private LoopLag() {}

    /**
     * The bound that {@code percent} of the samples between two looks at the metrics did not exceed: the upper edge of
     * a histogram bucket, so the true value is at most this.
     *
     * @param before an earlier page
     * @param after a later page
     * @param percent above 0, at most 100
     * @return milliseconds; empty when the gateway has no such histogram or took no sample in between
     */
    public static OptionalDouble percentileMillis(PrometheusText before, PrometheusText after, double percent) {
        Map<Double, Double> counts = new TreeMap<>();
        add(counts, after.named(METRIC + "_bucket"), 1);
        add(counts, before.named(METRIC + "_bucket"), -1);
        double total = counts.getOrDefault(Double.POSITIVE_INFINITY, 0.0);
        if (total <= 0) {
            return OptionalDouble.empty();
        }
        for (Map.Entry<Double, Double> bucket : counts.entrySet()) {
            if (bucket.getValue() >= total * percent / 100) {
                return OptionalDouble.of(bucket.getKey() * 1_000);
            }
        }
        return OptionalDouble.empty();
    }

    private static void add(Map<Double, Double> counts, List<PrometheusText.Sample> buckets, int sign) {
        for (PrometheusText.Sample bucket : buckets) {
            String edge = bucket.label("le");
            double bound = edge.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(edge);
            counts.merge(bound, sign * bucket.value(), Double::sum);
        }
    }
}
