package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.sessions.TurnSample.Kind;
import io.recallgate.gateway.cli.measure.Spans;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Answered requests of a scenario. Thread-safe. */
final class Samples {

    private static final double NANOS_PER_MILLI = 1e6;

    private final List<TurnSample> all = new ArrayList<>();

    synchronized void add(TurnSample sample) {
        all.add(sample);
    }

    synchronized int size() {
        return all.size();
    }

    /** From the decoded body until the provider had it. */
    synchronized Spans upstream(Predicate<TurnSample> meant) {
        Spans spans = new Spans();
        all.stream().filter(meant).forEach(sample -> spans.add(nanos(sample.upstreamMillis())));
        return spans;
    }

    /** One phase, of those that have it. */
    synchronized Spans phase(String phase, Predicate<TurnSample> meant) {
        Spans spans = new Spans();
        all.stream().filter(meant).forEach(sample -> {
            Double millis = sample.phases().get(phase);
            if (millis != null) {
                spans.add(nanos(millis));
            }
        });
        return spans;
    }

    private static long nanos(double millis) {
        return Math.round(millis * NANOS_PER_MILLI);
    }

    /** Of the warm ones: what {@code percent} of them do not exceed. */
    synchronized int windowTokens(int percent) {
        int[] sorted = all.stream()
                .filter(Samples::isWarm)
                .mapToInt(TurnSample::windowTokens)
                .sorted()
                .toArray();
        return sorted.length == 0 ? 0 : sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }

    /** How many of the warm ones were sent which window. */
    synchronized Map<String, Integer> windows() {
        Map<String, Integer> windows = new TreeMap<>();
        all.stream().filter(Samples::isWarm).forEach(sample -> windows.merge(sample.window(), 1, Integer::sum));
        return windows;
    }

    /** How many of the warm ones had something left out, by reason. */
    synchronized Map<String, Integer> degraded() {
        Map<String, Integer> reasons = new TreeMap<>();
        all.stream()
                .filter(sample -> isWarm(sample) && !sample.degraded().isEmpty())
                .forEach(sample -> reasons.merge(sample.degraded(), 1, Integer::sum));
        return reasons;
    }

    /** The lengths that sessions were planned with. */
    synchronized SortedSet<Integer> lengths() {
        SortedSet<Integer> lengths = new TreeSet<>();
        all.forEach(sample -> lengths.add(sample.messages()));
        return lengths;
    }

    static boolean isWarm(TurnSample sample) {
        return sample.kind() == Kind.WARM;
    }
}
