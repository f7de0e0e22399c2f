package io.recallgate.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.recallgate.metrics.Label;
import io.recallgate.metrics.MetricSpec;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** Alerts and dashboard ask for what the gateway shows, and each alert fires when it should and says what to do. */
class AlertsTest {

    private static final Path DOCKER = Path.of("..", "docker");
    private static final Path ALERTS = DOCKER.resolve("prometheus/alerts.yml");
    private static final Path ALERT_TESTS = DOCKER.resolve("prometheus/alerts_test.yml");
    private static final Path DASHBOARD = DOCKER.resolve("grafana/dashboards/recallgate.json");
    private static final Path RUNBOOKS = Path.of("..", "conf", "runbooks.md");

    private static final Pattern SELECTOR = Pattern.compile("(recallgate_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)\\s*(?:=~|!~|!=|=)\\s*\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("by \\(([a-z_, ]+)\\)");
    private static final Pattern OTHERS = Pattern.compile("\\b(?:vertx|jvm|process|system)_[a-z_]+");
    private static final Pattern NAMED_IN_A_RUNBOOK = Pattern.compile("`(recallgate_[a-z_]+)(?:\\{([^}]*)})?`");

    /** Made by Prometheus from where and how it scrapes. */
    private static final Set<String> SCRAPED = Set.of("instance", "job");

    /** What the Vert.x and JVM part of the page promises, as the dashboard uses it. */
    private static final Set<String> OTHERS_SHOWN = Set.of(
            "jvm_memory_used_bytes",
            "jvm_memory_committed_bytes",
            "jvm_gc_pause_seconds_sum",
            "jvm_gc_pause_seconds",
            "process_cpu_usage",
            "system_cpu_usage");

    private static final Map<String, MetricSpec> SPECS = MetricsPage.all()
            .flatMap(metric -> series(metric.spec()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));

    private static Stream<Map.Entry<String, MetricSpec>> series(MetricSpec spec) {
        String name = spec.prometheusName();
        return spec.kind() == MetricSpec.Kind.HISTOGRAM
                ? Stream.of("_bucket", "_count", "_sum", "_max").map(part -> Map.entry(name + part, spec))
                : Stream.of(Map.entry(name, spec));
    }

    @Test
    void alertsAndDashboardAskOnlyForWhatTheGatewayShows() throws IOException {
        List<String> wrong = new ArrayList<>();
        Stream.concat(expressions(), testSeries()).forEach(asked -> wrong.addAll(notShown(asked)));

        assertThat(wrong).isEmpty();
    }

    @Test
    void runbooksNameOnlyMetricsAndValuesThatThereAre() throws IOException {
        List<String> wrong = new ArrayList<>();
        NAMED_IN_A_RUNBOOK.matcher(Files.readString(RUNBOOKS)).results().forEach(named -> {
            MetricSpec spec = MetricsPage.all()
                    .map(metric -> metric.spec())
                    .filter(candidate -> candidate.prometheusName().equals(named.group(1)))
                    .findFirst()
                    .orElse(null);
            if (spec == null) {
                wrong.add(named.group(1));
            } else if (named.group(2) != null) {
                wrong.addAll(wrongMatchers(named.group(1), spec, named.group(2)));
            }
        });

        assertThat(wrong).isEmpty();
    }

    @Test
    void eachAlertHasItsRunbookAndEachRunbookItsAlert() throws IOException {
        List<String> sections = Files.readAllLines(RUNBOOKS).stream()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3))
                .toList();

        assertThat(sections).containsExactlyInAnyOrderElementsOf(rules().keySet());
        assertThat(rules()).allSatisfy((name, rule) -> {
            assertThat(rule.annotations().getString("runbook"))
                    .isEqualTo("conf/runbooks.md#" + name.toLowerCase(Locale.ROOT));
            assertThat(rule.severity()).as(name).isIn("page", "ticket");
        });
        String text = Files.readString(RUNBOOKS);
        assertThat(rules()).allSatisfy((name, rule) -> assertThat(text)
                .contains("## " + name + "\n\n*" + (rule.severity().equals("page") ? "Page" : "Ticket") + ".*"));
    }

    @Test
    void eachAlertIsTestedBothQuietAndFiring() throws IOException {
        Map<String, List<Boolean>> fired = alertTests()
                .collect(Collectors.groupingBy(
                        test -> test.getString("alertname"),
                        Collectors.mapping(
                                test -> !test.getJsonArray("exp_alerts").isEmpty(), Collectors.toList())));

        assertThat(fired.keySet()).containsExactlyInAnyOrderElementsOf(rules().keySet());
        assertThat(fired)
                .allSatisfy((name, expected) ->
                        assertThat(expected).as(name + " fires").contains(true));
        assertThat(rules().entrySet().stream()
                        .filter(rule -> rule.getValue().waits())
                        .map(Map.Entry::getKey))
                .allSatisfy(name ->
                        assertThat(fired.get(name)).as(name + " waits first").contains(false));
    }

    @Test
    void theDashboardIsProvisionedAndItsPanelsAreWhole() throws IOException {
        JsonObject dashboard = new JsonObject(Files.readString(DASHBOARD));
        String uid = objects(yaml(DOCKER.resolve("grafana/provisioning/datasources/prometheus.yml")), "datasources")
                .map(source -> source.getString("uid"))
                .findFirst()
                .orElseThrow();
        String folder = objects(yaml(DOCKER.resolve("grafana/provisioning/dashboards/recallgate.yml")), "providers")
                .map(provider -> provider.getJsonObject("options").getString("path"))
                .findFirst()
                .orElseThrow();

        assertThat(Files.readString(DOCKER.resolve("compose.yaml"))).contains(":" + folder + ":ro");
        assertThat(panels(dashboard)).hasSizeGreaterThan(20).allSatisfy(panel -> {
            assertThat(panel.getJsonObject("datasource").getString("uid")).isEqualTo(uid);
            assertThat(panel.getJsonArray("targets"))
                    .as(panel.getString("title"))
                    .isNotEmpty();
        });
        assertThat(panels(dashboard).stream().map(panel -> panel.getInteger("id")))
                .doesNotHaveDuplicates();
    }

    @Test
    void promtoolFindsTheRulesRightAndFiresEachAlert(@TempDir Path directory) throws Exception {
        Optional<String> promtool = promtool();
        assumeTrue(promtool.isPresent(), "no promtool on the PATH or in RECALLGATE_TEST_PROMTOOL");
        Path panels = directory.resolve("panels.yml");
        Files.writeString(panels, new Yaml().dump(asRules(dashboardExpressions().toList())));

        run(
                promtool.get(),
                "check",
                "config",
                DOCKER.resolve("prometheus/prometheus.yml").toString());
        run(promtool.get(), "check", "rules", panels.toString());
        run(promtool.get(), "test", "rules", ALERT_TESTS.toString());
    }

    /** A panel's expression is right where it would be right as a rule. */
    private static Map<String, Object> asRules(List<String> expressions) {
        List<Map<String, String>> rules = new ArrayList<>();
        for (int i = 0; i < expressions.size(); i++) {
            String expression = expressions.get(i).replace("$__rate_interval", "1m");
            rules.add(Map.of("record", "panel:" + i, "expr", expression));
        }
        return Map.of("groups", List.of(Map.of("name", "panels", "rules", rules)));
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
    }

    private static Optional<String> promtool() {
        String named = System.getenv("RECALLGATE_TEST_PROMTOOL");
        if (named != null) {
            return Optional.of(named);
        }
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(place -> Path.of(place, "promtool"))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    private static List<String> notShown(String asked) {
        List<String> wrong = new ArrayList<>();
        Set<String> labels = SELECTOR.matcher(asked)
                .results()
                .flatMap(selector -> {
                    MetricSpec spec = SPECS.get(selector.group(1));
                    if (spec == null) {
                        wrong.add(selector.group(1));
                        return Stream.empty();
                    }
                    if (selector.group(2) != null) {
                        wrong.addAll(wrongMatchers(selector.group(1), spec, selector.group(2)));
                    }
                    return labelsOf(spec);
                })
                .collect(Collectors.toSet());
        if (!labels.isEmpty()) {
            GROUPING.matcher(asked)
                    .results()
                    .flatMap(group -> Arrays.stream(group.group(1).split(", *", -1)))
                    .filter(label -> !labels.contains(label) && !SCRAPED.contains(label))
                    .forEach(label -> wrong.add("by " + label + " in " + asked));
        }
        OTHERS.matcher(asked)
                .results()
                .map(MatchResult::group)
                .filter(name -> !OTHERS_SHOWN.contains(name))
                .forEach(wrong::add);
        return wrong;
    }

    private static List<String> wrongMatchers(String series, MetricSpec spec, String matchers) {
        Map<String, Label> labels = spec.labels().stream().collect(Collectors.toMap(Label::name, Function.identity()));
        List<String> wrong = new ArrayList<>();
        MATCHER.matcher(matchers).results().forEach(matcher -> {
            String name = matcher.group(1);
            if (SCRAPED.contains(name) || (name.equals("le") && series.endsWith("_bucket"))) {
                return;
            }
            Label label = labels.get(name);
            if (label == null) {
                wrong.add(series + " has no label " + name);
            } else if (!label.values().isEmpty()) {
                Arrays.stream(matcher.group(2).split("\\|", -1))
                        .filter(value -> !label.values().contains(value))
                        .forEach(value -> wrong.add(series + " has no " + name + " " + value));
            }
        });
        return wrong;
    }

    private static Stream<String> labelsOf(MetricSpec spec) {
        Stream<String> own = spec.labels().stream().map(Label::name);
        return spec.kind() == MetricSpec.Kind.HISTOGRAM ? Stream.concat(own, Stream.of("le")) : own;
    }

    private static Stream<String> expressions() throws IOException {
        return Stream.concat(rules().values().stream().map(Rule::expr), dashboardExpressions());
    }

    private static Stream<String> dashboardExpressions() throws IOException {
        return panels(new JsonObject(Files.readString(DASHBOARD))).stream()
                .flatMap(panel -> panel.getJsonArray("targets").stream())
                .map(target -> ((JsonObject) target).getString("expr"));
    }

    private static List<JsonObject> panels(JsonObject dashboard) {
        return dashboard.getJsonArray("panels").stream()
                .map(JsonObject.class::cast)
                .filter(panel -> !panel.getString("type").equals("row"))
                .toList();
    }

    private static Stream<String> testSeries() throws IOException {
        return objects(yaml(ALERT_TESTS), "tests")
                .flatMap(test -> objects(test, "input_series"))
                .map(series -> series.getString("series"));
    }

    private static Stream<JsonObject> alertTests() throws IOException {
        return objects(yaml(ALERT_TESTS), "tests").flatMap(test -> objects(test, "alert_rule_test"));
    }

    /** An alert as it stands in the file. */
    private record Rule(String expr, boolean waits, String severity, JsonObject annotations) {}

    private static Map<String, Rule> rules() throws IOException {
        return objects(yaml(ALERTS), "groups")
                .flatMap(group -> objects(group, "rules"))
                .collect(Collectors.toMap(
                        rule -> rule.getString("alert"),
                        rule -> new Rule(
                                rule.getString("expr"),
                                rule.containsKey("for"),
                                rule.getJsonObject("labels").getString("severity"),
                                rule.getJsonObject("annotations"))));
    }

    private static JsonObject yaml(Path file) throws IOException {
        Map<String, Object> read = new Yaml().load(Files.readString(file));
        return new JsonObject(read);
    }

    private static Stream<JsonObject> objects(JsonObject of, String list) {
        return of.getJsonArray(list).stream().map(JsonObject.class::cast);
    }
}
