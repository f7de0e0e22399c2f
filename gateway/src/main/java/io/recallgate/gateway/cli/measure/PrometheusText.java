package io.recallgate.gateway.cli.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads samples out of a metrics page in the Prometheus text format.
 *
 * @param samples in the page's order
 */
public record PrometheusText(List<Sample> samples) {

    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{.*})? ([^ ]+)( [0-9]+)?");

    /** Copies the list. */
    public PrometheusText {
        samples = List.copyOf(samples);
    }

    /**
     * One line.
     *
     * @param name of the metric
     * @param labels with braces, empty when there are none
     * @param value its value
     */
    public record Sample(String name, String labels, double value) {

        /** The value of one label, empty when it has none of that name. */
        public String label(String label) {
            Matcher matcher = Pattern.compile("[{,]\\s*" + Pattern.quote(label) + "=\"((?:[^\"\\\\]|\\\\.)*)\"")
                    .matcher(labels);
            return matcher.find() ? matcher.group(1) : "";
        }
    }

    /** Reads a page; lines of another form are skipped, since a page may hold newer ones. */
    public static PrometheusText parse(String page) {
        List<Sample> samples = new ArrayList<>();
        page.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Matcher matcher = SAMPLE.matcher(line.strip());
            if (matcher.matches()) {
                OptionalDouble value = number(matcher.group(3));
                String labels = matcher.group(2) == null ? "" : matcher.group(2);
                value.ifPresent(number -> samples.add(new Sample(matcher.group(1), labels, number)));
            }
        });
        return new PrometheusText(samples);
    }

    /** All samples of one name. */
    public List<Sample> named(String name) {
        return samples.stream().filter(sample -> sample.name().equals(name)).toList();
    }

    /** The sum over all label sets, empty when there is none. */
    public OptionalDouble sum(String name) {
        List<Sample> named = named(name);
        return named.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(named.stream().mapToDouble(Sample::value).sum());
    }

    /** The largest value with this quantile label, empty when there is none. */
    public OptionalDouble quantile(String name, String quantile) {
        return named(name).stream()
                .filter(sample -> sample.label("quantile").equals(quantile))
                .mapToDouble(Sample::value)
                .max();
    }

    private static OptionalDouble number(String text) {
        try {
            return OptionalDouble.of(
                    switch (text) {
                        case "+Inf" -> Double.POSITIVE_INFINITY;
                        case "-Inf" -> Double.NEGATIVE_INFINITY;
                        default -> Double.parseDouble(text);
                    });
        } catch (NumberFormatException e) {
            // Not a sample after all.
            return OptionalDouble.empty();
        }
    }
}
