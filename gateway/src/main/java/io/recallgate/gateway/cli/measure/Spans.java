package io.recallgate.gateway.cli.measure;

import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Measured spans and their percentiles by the nearest rank. Used by one thread. */
public final class Spans {

    private long[] nanos = new long[256];
    private int size;

    /** Adds one span. */
    public void add(long spanNanos) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, size * 2);
        }
        nanos[size++] = spanNanos;
    }

    /** Adds all spans of another. */
    public void addAll(Spans other) {
        for (int i = 0; i < other.size; i++) {
            add(other.nanos[i]);
        }
    }

    /** How many there are. */
    public int size() {
        return size;
    }

    /**
     * The span that {@code percent} of all do not exceed, in milliseconds; 0 when there are none.
     *
     * @param percent above 0, at most 100
     */
    public double percentileMillis(double percent) {
        if (size == 0) {
            return 0;
        }
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * size);
        return sorted[Math.max(0, rank - 1)] / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    /** {@code {"n","p50","p95","p99","max"}} in milliseconds. */
    public JsonObject toJson() {
        return new JsonObject()
                .put("n", size)
                .put("p50", rounded(percentileMillis(50)))
                .put("p95", rounded(percentileMillis(95)))
                .put("p99", rounded(percentileMillis(99)))
                .put("max", rounded(percentileMillis(100)));
    }

    /** {@code {"n","p50","p80","p90","p95","max"}} in milliseconds. */
    public JsonObject spreadJson() {
        return new JsonObject()
                .put("n", size)
                .put("p50", rounded(percentileMillis(50)))
                .put("p80", rounded(percentileMillis(80)))
                .put("p90", rounded(percentileMillis(90)))
                .put("p95", rounded(percentileMillis(95)))
                .put("max", rounded(percentileMillis(100)));
    }

    private static double rounded(double millis) {
        return Math.round(millis * 100) / 100.0;
    }
}
