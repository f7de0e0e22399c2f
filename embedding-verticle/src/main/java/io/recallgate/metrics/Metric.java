package io.recallgate.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.recallgate.metrics.MetricSpec.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A declared metric: the only way to a meter. The methods may be called on any thread and as often as wanted: the same
 * labels give the same meter. Values of labels are given in the order in which the labels are declared.
 */
public interface Metric {

    /** What was declared. */
    MetricSpec spec();

    /** The counter with these values of its labels. */
    default Counter counter(MeterRegistry registry, String... values) {
        MetricSpec spec = Series.of(this, Kind.COUNTER);
        return Counter.builder(spec.name())
                .description(spec.help())
                .tags(Series.tags(spec, values))
                .register(registry);
    }

    /** A counter that shows what {@code read} tells of {@code of}, which it does not keep alive. */
    default <T> FunctionCounter counted(MeterRegistry registry, T of, ToDoubleFunction<T> read, String... values) {
        MetricSpec spec = Series.of(this, Kind.COUNTER);
        return FunctionCounter.builder(spec.name(), of, read)
                .description(spec.help())
                .tags(Series.tags(spec, values))
                .register(registry);
    }

    /** A gauge that shows what {@code read} tells of {@code of}, which it does not keep alive. */
    default <T> Gauge gauge(MeterRegistry registry, T of, ToDoubleFunction<T> read, String... values) {
        MetricSpec spec = Series.of(this, Kind.GAUGE);
        return Gauge.builder(spec.name(), of, read)
                .description(spec.help())
                .tags(Series.tags(spec, values))
                .register(registry);
    }

    /** The histogram with these values of its labels. */
    default Timer timer(MeterRegistry registry, String... values) {
        MetricSpec spec = Series.of(this, Kind.HISTOGRAM);
        return Timer.builder(spec.name())
                .description(spec.help())
                .tags(Series.tags(spec, values))
                .serviceLevelObjectives(spec.buckets().orElseThrow().bounds().toArray(Duration[]::new))
                .register(registry);
    }

    /**
     * Registers a counter or a histogram with every combination of its labels' values, so that each is seen to be zero
     * before it first happens: what begins at one has no rate.
     *
     * @throws IllegalStateException for a label whose values are not listed
     */
    default void all(MeterRegistry registry) {
        for (String[] values : Series.combinations(spec())) {
            if (spec().kind() == Kind.COUNTER) {
                counter(registry, values);
            } else {
                timer(registry, values);
            }
        }
    }

    /** How labels become series. */
    final class Series {

        private Series() {}

        private static MetricSpec of(Metric metric, Kind kind) {
            MetricSpec spec = metric.spec();
            if (spec.kind() != kind) {
                throw new IllegalStateException(spec.name() + " is no " + kind);
            }
            return spec;
        }

        private static Tags tags(MetricSpec spec, String... values) {
            List<Label> labels = spec.labels();
            if (labels.size() != values.length) {
                throw new IllegalArgumentException(spec.name() + " has other labels");
            }
            List<Tag> tags = new ArrayList<>(values.length);
            for (int i = 0; i < values.length; i++) {
                Label label = labels.get(i);
                tags.add(Tag.of(label.name(), label.saying(values[i])));
            }
            return Tags.of(tags);
        }

        private static List<String[]> combinations(MetricSpec spec) {
            List<List<String>> rows = List.of(List.of());
            for (Label label : spec.labels()) {
                if (label.values().isEmpty()) {
                    throw new IllegalStateException("not all values of " + label.name() + " are known");
                }
                List<List<String>> longer = new ArrayList<>();
                for (List<String> row : rows) {
                    for (String value : label.values()) {
                        List<String> more = new ArrayList<>(row);
                        more.add(value);
                        longer.add(more);
                    }
                }
                rows = longer;
            }
            return rows.stream().map(row -> row.toArray(String[]::new)).toList();
        }
    }
}
