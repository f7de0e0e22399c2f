package io.recallgate.gateway.cli.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What {@code bench probes} does: a provider whose cost changes, before two probes. Spans are those of the full scale;
 * everything is divided by the speed.
 *
 * @param speed how many times as fast as the full scale, 1 or more
 * @param phases one after the other
 */
public record ProbePlan(int speed, List<Phase> phases) {

    /** Between two attempts, as long as they are cheap. */
    public static final long CADENCE_MILLIS = 2_000;

    /** The default of {@code RECALLGATE_PROBE_DUTY}. */
    public static final double DUTY = 0.2;

    /** Above the second cost and below the third. */
    public static final long BUDGET_MILLIS = 30_000;

    private static final long BACKOFF_MILLIS = 1_000;
    private static final long BACKOFF_MAX_MILLIS = 20_000;

    /**
     * A time in which the provider does one thing.
     *
     * @param name for people
     * @param costMillis of an answer; negative for refused connections
     * @param millis how long the phase lasts
     * @param perMinute attempts of a probe that D1 to D8 predict once the phase before is over, on the full scale
     * @param states that a probe may be in
     */
    public record Phase(String name, long costMillis, long millis, double perMinute, Set<String> states) {
        /** Copies the states. */
        public Phase {
            states = Set.copyOf(states);
        }

        /** Whether the provider takes no connections. */
        public boolean refuses() {
            return costMillis < 0;
        }
    }

    /** Copies the phases. */
    public ProbePlan {
        phases = List.copyOf(phases);
    }

    /**
     * The usual phases: 0.1 s, 20 s, 90 s, refused, and 0.1 s again.
     *
     * @param percent of the usual lengths, for a short form
     */
    public static ProbePlan usual(int speed, int percent) {
        return new ProbePlan(
                speed,
                Stream.of(
                                // Every tick.
                                phase("0.1 s", 100, 60_000, 30, "pending", "healthy"),
                                // A period of 20 / 0.2 seconds. The first flight is long beside the periods before it.
                                phase("20 s", 20_000, 320_000, 0.6, "healthy", "slow-but-running"),
                                // A period of (30 + 30) / 0.2 seconds: each attempt is given up at its budget.
                                phase(
                                        "90 s",
                                        90_000,
                                        700_000,
                                        0.2,
                                        "healthy",
                                        "slow-but-running",
                                        "failed",
                                        "recovering"),
                                // The last floor, and then the longest back-off.
                                phase("refused", -1, 420_000, 3, "failed", "recovering"),
                                phase("0.1 s again", 100, 100_000, 30, "failed", "recovering", "healthy"))
                        .map(phase -> new Phase(
                                phase.name(),
                                phase.costMillis(),
                                phase.millis() * percent / 100,
                                phase.perMinute(),
                                phase.states()))
                        .toList());
    }

    private static Phase phase(String name, long cost, long millis, double perMinute, String... states) {
        return new Phase(name, cost, millis, perMinute, Set.of(states));
    }

    /** So many milliseconds of the full scale, at this speed. */
    long scaled(long millis) {
        return Math.max(1, millis / speed);
    }

    /** The settings of the gateway: the breaker is off and the query's limit no bound, so that it is pacing that shows. */
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        settings.put("RECALLGATE_PROBE_CADENCE_MS", Long.toString(scaled(CADENCE_MILLIS)));
        settings.put("RECALLGATE_PROBE_DUTY", Double.toString(DUTY));
        settings.put("RECALLGATE_PROBE_BUDGET_MS", Long.toString(scaled(BUDGET_MILLIS)));
        settings.put("RECALLGATE_PROBE_BACKOFF_MS", Long.toString(scaled(BACKOFF_MILLIS)));
        settings.put("RECALLGATE_PROBE_BACKOFF_MAX_MS", Long.toString(scaled(BACKOFF_MAX_MILLIS)));
        settings.put("EMBEDDING_TIMEOUT_MS", Long.toString(10 * scaled(BUDGET_MILLIS)));
        settings.put("RECALLGATE_EMBEDDING_BREAKER_EXPIRIES", "1000");
        settings.put("RECALLGATE_EMBEDDING_CONNECTIONS", "32");
        return settings;
    }

    /** The wait that D8 predicts after so many failures in a row, in milliseconds at this speed. */
    double backoffMillis(int failures) {
        return failures == 0
                ? 0
                : Math.min(
                        (double) scaled(BACKOFF_MAX_MILLIS),
                        scaled(BACKOFF_MILLIS) * Math.pow(2, Math.min(failures - 1, 40)));
    }
}
