package io.recallgate.gateway.metrics;

import io.recallgate.embedding.metrics.EmbeddingMetric;
import io.recallgate.metrics.Buckets;
import io.recallgate.metrics.Label;
import io.recallgate.metrics.Metric;
import io.recallgate.metrics.MetricSpec;
import io.recallgate.recall.metrics.RecallMetric;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code conf/metrics.md}, made from what the modules declare. */
final class MetricsPage {

    private static final String HEAD = """
            # Metrics

            `GET /metrics` shows these in the text format of Prometheus. Made from the code: what is not declared there cannot
            be registered, and a test compares this page with it.

            Durations are seconds, sizes bytes. A histogram `x_seconds` comes as `x_seconds_bucket` with the label `le`,
            `x_seconds_count`, `x_seconds_sum`, and `x_seconds_max`, the longest of the last minutes. Labels say only what is
            listed: no ids, owners, sessions, projects, models or paths, so that the number of series is bounded whoever calls.
            A counter or histogram that has a small number of series shows all of them from the start, at zero; of the others
            each series comes with its first event.

            """;

    private static final String TAIL = """
            ## Vert.x and the JVM

            A gateway process of its own adds what Vert.x and Micrometer measure, under their own names: `vertx_http_server_*`,
            `vertx_http_client_*` and `vertx_http_websocket_*` (label `code`), `vertx_eventbus_*` (label `failure`),
            `vertx_pool_*` (worker pools together), `jvm_memory_*` and `jvm_buffer_*` (label `area`, `id`), `jvm_gc_*` (labels
            `action`, `cause`, `gc`), `jvm_threads_*` (label `state`), `jvm_classes_*`, `system_cpu_*` and `process_cpu_*`.
            Addresses, paths, pool names and peers are left out: they come from outside, or carry generations. A router in
            somebody else's application leaves these to the application.
            """;

    private MetricsPage() {}

    /** All that is declared, in all modules. */
    static Stream<Metric> all() {
        return Stream.of(GatewayMetric.values(), RecallMetric.values(), EmbeddingMetric.values())
                .flatMap(Stream::of);
    }

    static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        for (Buckets buckets : Buckets.values()) {
            page.append("Buckets *")
                    .append(buckets.name().toLowerCase(Locale.ROOT))
                    .append("*: ")
                    .append(buckets.bounds().stream()
                            .map(bound -> bound.toMillis() % 1_000 == 0
                                    ? bound.toSeconds() + " s"
                                    : bound.toMillis() < 1_000
                                            ? bound.toMillis() + " ms"
                                            : bound.toMillis() / 1_000.0 + " s")
                            .collect(Collectors.joining(", ")))
                    .append(".\n\n");
        }
        section(page, "HTTP, conversations and the process", List.of(GatewayMetric.values()));
        section(page, "Memories, jobs and recall", List.of(RecallMetric.values()));
        section(page, "Embedding", List.of(EmbeddingMetric.values()));
        return page.append(TAIL).toString();
    }

    private static void section(StringBuilder page, String title, List<? extends Metric> metrics) {
        page.append("## ").append(title).append("\n\n| Metric | Type | Labels | Tells |\n|---|---|---|---|\n");
        metrics.forEach(metric -> page.append(row(metric.spec())));
        page.append('\n');
    }

    private static String row(MetricSpec spec) {
        String type = spec.kind().name().toLowerCase(Locale.ROOT)
                + spec.buckets()
                        .map(buckets -> ", *" + buckets.name().toLowerCase(Locale.ROOT) + "*")
                        .orElse("");
        String labels = spec.labels().stream().map(MetricsPage::label).collect(Collectors.joining("; "));
        return "| `" + spec.prometheusName() + "` | " + type + " | " + labels + " | " + spec.help() + " |\n";
    }

    private static String label(Label label) {
        return "`" + label.name() + "`: " + (label.values().isEmpty() ? label.about() : values(label.values()));
    }

    private static String values(List<String> values) {
        return String.join(", ", values);
    }
}
