package io.recallgate.metrics;

import java.util.List;
import java.util.Optional;

/**
 * What there is to know of a metric.
 *
 * @param name with dots, beginning with {@code recallgate.}; a gauge's ends with its unit, if it has one
 * @param kind what is measured
 * @param help one sentence without a full stop
 * @param buckets of a histogram, empty for anything else
 * @param labels in the order in which their values are given
 */
public record MetricSpec(String name, Kind kind, String help, Optional<Buckets> buckets, List<Label> labels) {

    /** Kinds of metrics. */
    public enum Kind {
        /** Only grows while the process lives. */
        COUNTER,
        /** A value as it is now. */
        GAUGE,
        /** Durations in seconds, counted in buckets. */
        HISTOGRAM
    }

    /** Copies the labels. */
    public MetricSpec {
        labels = List.copyOf(labels);
        if (buckets.isPresent() != (kind == Kind.HISTOGRAM)) {
            throw new IllegalArgumentException("buckets are for histograms: " + name);
        }
    }

    /** A counter. */
    public static MetricSpec counter(String name, String help, Label... labels) {
        return new MetricSpec(name, Kind.COUNTER, help, Optional.empty(), List.of(labels));
    }

    /** A gauge. */
    public static MetricSpec gauge(String name, String help, Label... labels) {
        return new MetricSpec(name, Kind.GAUGE, help, Optional.empty(), List.of(labels));
    }

    /** A histogram of durations. */
    public static MetricSpec histogram(String name, String help, Buckets buckets, Label... labels) {
        return new MetricSpec(name, Kind.HISTOGRAM, help, Optional.of(buckets), List.of(labels));
    }

    /** As Prometheus is told it. */
    public String prometheusName() {
        String plain = name.replace('.', '_');
        return switch (kind) {
            case COUNTER -> plain + "_total";
            case GAUGE -> plain;
            case HISTOGRAM -> plain + "_seconds";
        };
    }

    /** The unit of its values: {@code seconds}, {@code bytes}, or nothing for a number of things. */
    public String unit() {
        if (kind == Kind.HISTOGRAM || name.endsWith(".seconds")) {
            return "seconds";
        }
        return name.endsWith(".bytes") ? "bytes" : "";
    }
}
