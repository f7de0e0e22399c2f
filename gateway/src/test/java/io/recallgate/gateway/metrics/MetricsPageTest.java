package io.recallgate.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.metrics.Label;
import io.recallgate.metrics.Metric;
import io.recallgate.metrics.MetricSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is declared is what there is. */
class MetricsPageTest {

    private static final Path PAGE = Path.of("..", "conf", "metrics.md");

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.recallgate");

    private static final Set<String> MAKERS = Stream.of(
                    Counter.class,
                    DistributionSummary.class,
                    FunctionCounter.class,
                    FunctionTimer.class,
                    Gauge.class,
                    LongTaskTimer.class,
                    MultiGauge.class,
                    TimeGauge.class,
                    Timer.class)
            .map(Class::getName)
            .collect(Collectors.toSet());

    @Test
    void thePageIsMadeOfWhatIsDeclared() throws IOException {
        // After a change of a metric: run this test with RECALLGATE_TEST_WRITE_METRICS=1 and commit the file.
        if (System.getenv("RECALLGATE_TEST_WRITE_METRICS") != null) {
            Files.writeString(PAGE, MetricsPage.render());
        }

        assertThat(PAGE).hasContent(MetricsPage.render());
    }

    @Test
    void everyDeclaredMetricIsRegisteredByWhatItMeasures() {
        List<String> unused = MetricsPage.all()
                .filter(metric ->
                        PRODUCT.get(metric.getClass()).getField(((Enum<?>) metric).name()).getAccessesToSelf().stream()
                                .map(JavaFieldAccess::getOriginOwner)
                                .allMatch(reader -> reader.getName()
                                        .startsWith(metric.getClass().getName())))
                .map(metric -> metric.spec().name())
                .toList();

        assertThat(unused).isEmpty();
    }

    @Test
    void nothingIsRegisteredThatIsNotDeclared() {
        List<String> others = PRODUCT.stream()
                .filter(type -> !type.getPackageName().equals("io.recallgate.metrics"))
                .flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(call -> {
                    String owner = call.getTargetOwner().getName();
                    String method = call.getName();
                    return (MAKERS.contains(owner) && method.equals("builder"))
                            || (call.getTargetOwner().isAssignableTo(MeterRegistry.class)
                                    && Set.of("counter", "timer", "gauge", "summary", "more", "newCounter")
                                            .contains(method));
                })
                .map(Object::toString)
                .toList();

        assertThat(others).isEmpty();
    }

    @Test
    void namesFollowTheConventionsAndAreUnique() {
        assertThat(MetricsPage.all().map(metric -> metric.spec().prometheusName()))
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("recallgate(_[a-z]+)+"));
        assertThat(MetricsPage.all().map(Metric::spec)).allSatisfy(spec -> {
            assertThat(spec.help()).as(spec.name()).doesNotEndWith(".").isNotBlank();
            assertThat(spec.name()).doesNotContain("millis").doesNotEndWith("total");
        });
    }

    @Test
    void noLabelCanSayWhatACallerChooses() {
        assertThat(MetricsPage.all().flatMap(metric -> metric.spec().labels().stream()))
                .extracting(Label::name)
                .doesNotContain("owner", "session", "project", "model", "id", "key", "path", "url", "query", "user");
    }

    @Test
    void histogramsTellAMillisecondFromTenSecondsInFewBuckets() {
        assertThat(MetricsPage.all().map(Metric::spec).flatMap(spec -> spec.buckets().stream()))
                .isNotEmpty()
                .allSatisfy(buckets -> assertThat(buckets.bounds())
                        .contains(Duration.ofMillis(1), Duration.ofSeconds(10))
                        .isSorted()
                        .hasSizeLessThanOrEqualTo(20));
    }

    @Test
    void prometheusShowsEachUnderItsDeclaredNameAndType() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MetricsPage.all().forEach(metric -> {
            String[] values = metric.spec().labels().stream()
                    .map(label ->
                            label.values().isEmpty() ? "x" : label.values().get(0))
                    .toArray(String[]::new);
            switch (metric.spec().kind()) {
                case COUNTER -> metric.counter(registry, values);
                case GAUGE -> metric.gauge(registry, this, any -> 1, values);
                case HISTOGRAM -> metric.timer(registry, values);
            }
        });

        List<String> shown = registry.scrape()
                .lines()
                .filter(line -> line.startsWith("# TYPE"))
                .toList();

        assertThat(MetricsPage.all()
                        .map(metric -> "# TYPE " + metric.spec().prometheusName() + " "
                                + metric.spec().kind().name().toLowerCase(Locale.ROOT)))
                .allSatisfy(line -> assertThat(shown).contains(line));
        assertThat(shown.stream().filter(line -> !line.contains("_max gauge")))
                .hasSameSizeAs(MetricsPage.all().toList());
    }

    @Test
    void whatALabelIsNotDeclaredToSayIsADefectOrOther() {
        MetricSpec closed = MetricSpec.counter("recallgate.a", "a", Label.of("kind", "x"));
        MetricSpec open =
                MetricSpec.counter("recallgate.b", "b", Label.of("kind", "x").orOther());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

        assertThatThrownBy(() -> ((Metric) () -> closed).counter(registry, "y"))
                .hasMessageContaining("kind")
                .hasMessageContaining("y");
        ((Metric) () -> open).counter(registry, "y").increment();

        assertThat(registry.scrape())
                .contains("recallgate_b_total{kind=\"other\"} 1.0")
                .doesNotContain("\"y\"");
    }
}
