package io.recallgate.metrics;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Upper bounds of histograms, in milliseconds. Each costs a series for each combination of labels. */
public enum Buckets {
    /** Steps of 1, 2 and 5 from a millisecond to ten seconds. */
    STANDARD(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000),
    /**
     * What callers wait for: those of OpenTelemetry's {@code http.server.request.duration}, and finer ones below for
     * recall.
     */
    CALLER(1, 5, 10, 15, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000),
    /** What an LLM takes: as the standard ones, and on to five minutes. */
    UPSTREAM(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000);

    @SuppressWarnings("ImmutableEnumChecker") // Cannot be changed.
    private final List<Duration> bounds;

    Buckets(long... millis) {
        bounds = Arrays.stream(millis).mapToObj(Duration::ofMillis).toList();
    }

    /** The bounds, ascending; what is above the last counts to infinity. */
    public List<Duration> bounds() {
        return bounds;
    }
}
