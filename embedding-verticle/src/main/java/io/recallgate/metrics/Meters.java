package io.recallgate.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;

/**
 * Meters of one registry that are asked for with each request. A registry takes some microseconds to find one by its name, labels
 * and buckets, and a request has twenty; here it is found by its labels' values alone. As many are kept as there are values, which
 * {@link Label} bounds. Thread-safe.
 */
public final class Meters {

    private final MeterRegistry registry;
    private final ConcurrentMap<Key, Meter> found = new ConcurrentHashMap<>();

    private record Key(Metric metric, List<String> values) {}

    /** @param registry that no meter is removed from */
    public Meters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** As {@link Metric#counter}. */
    public Counter counter(Metric metric, String... values) {
        return (Counter) meter(metric, values, (named, labels) -> named.counter(registry, labels));
    }

    /** As {@link Metric#timer}. */
    public Timer timer(Metric metric, String... values) {
        return (Timer) meter(metric, values, (named, labels) -> named.timer(registry, labels));
    }

    private Meter meter(Metric metric, String[] values, BiFunction<Metric, String[], Meter> find) {
        Key key = new Key(metric, List.of(values));
        Meter meter = found.get(key);
        if (meter != null) {
            return meter;
        }
        // Not within the map's lock; another thread finds the same one.
        Meter made = find.apply(metric, values);
        found.put(key, made);
        return made;
    }
}
