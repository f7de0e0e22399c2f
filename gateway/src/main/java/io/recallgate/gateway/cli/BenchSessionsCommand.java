package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.bench.ScratchRun;
import io.recallgate.gateway.cli.bench.sessions.Scenario;
import io.recallgate.gateway.cli.bench.sessions.ScenarioResult;
import io.recallgate.gateway.cli.bench.sessions.SessionsBench;
import io.recallgate.gateway.cli.console.Table;
import io.recallgate.gateway.cli.measure.Spans;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench sessions}. */
@Command(
        name = "sessions",
        description = "Long conversations of an agent with tools through a gateway of its own, in both protocols, while"
                + " nothing else happens, and while something is in trouble. Checks what it measures, byte by byte, and fails"
                + " if anything sent, answered or remembered is not right.",
        footer = {
            "",
            "Scenarios:",
            "  idle               nothing else happens",
            "  embeddings-down    the embedding server refuses connections",
            "  embeddings-hung    the embedding server never answers",
            "  embeddings-slow    the embedding server takes 0.1 to 2 s",
            "  read-workers-hung  the threads of the read workers are stopped (needs a JDK)",
            "  database-slow      each answer of the database takes 0.4 s more",
            "  cancellations      every other request is given up once and sent again",
            "  concurrent         many sessions at once",
            "  restart            the gateway is killed now and then and started anew",
            "  backlog            a backlog of embeddings is worked off meanwhile",
            "",
            "Times are from the decoded body until the provider has the last byte; decoding is told apart. Cold is a session's",
            "first request, fresh the first after a start of the gateway; neither is among the others.",
            "Goals: p95 at most 250 ms in idle, embeddings-down and embeddings-hung; p99 at most the budget of 1,500 ms and",
            "50 in all; p50 at most 40 ms in idle for the longest session. Exit status 1 if one is missed or something is wrong.",
            "",
            "Examples:",
            "  ./recallgate bench sessions",
            "  ./recallgate bench sessions --scenario idle,embeddings-hung --turns 40",
            "  ./recallgate bench sessions --scenario backlog --backlog 20000 --json"
        })
final class BenchSessionsCommand implements Callable<Integer> {

    private static final double GOAL_P95_MILLIS = 250;
    private static final double GOAL_P99_MILLIS = 1_550;
    private static final double GOAL_P50_MILLIS = 40;

    private final CliContext context;

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            split = ",",
            description = "Only these, in this order; all of them.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--messages",
            paramLabel = "N",
            split = ",",
            defaultValue = "5580,7228",
            description = "Messages that the sessions begin with, 20 to 20000 each; 5580,7228.")
    @Range(min = 20, max = 20_000)
    private List<Integer> messages = new ArrayList<>();

    @Option(
            names = "--turns",
            paramLabel = "N",
            defaultValue = "60",
            description = "Measured requests of each session, 1 to 100000; 60.")
    @Range(min = 1, max = 100_000)
    private int turns;

    @Option(
            names = "--warm",
            paramLabel = "N",
            defaultValue = "15",
            description = "Requests of each session before measuring, 0 to 100000; 15.")
    @Range(min = 0, max = 100_000)
    private int warm;

    @Option(
            names = "--sessions",
            paramLabel = "N",
            defaultValue = "16",
            description = "Sessions at once, in concurrent, 1 to 64; 16.")
    @Range(min = 1, max = 64)
    private int sessions;

    @Option(
            names = "--memories",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Memories that there are before, 0 to 1000000; 2000.")
    @Range(min = 0, max = 1_000_000)
    private int memories;

    @Option(
            names = "--backlog",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Memories that are to be embedded, in backlog, 0 to 1000000; 10000.")
    @Range(min = 0, max = 1_000_000)
    private int backlog;

    @Option(
            names = "--restarts",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often the gateway is killed, in restart, 1 to 1000; 5.")
    @Range(min = 1, max = 1_000)
    private int restarts;

    @Option(
            names = "--window",
            paramLabel = "TOKENS",
            defaultValue = "228000",
            description =
                    "The models' window, 8192 to 2000000; 270000, of which a conversation that is cut keeps some 183000.")
    @Range(min = 8_192, max = 2_000_000)
    private int window;

    @Option(
            names = "--embeddings",
            paramLabel = "HOW",
            defaultValue = "local",
            description = "The model of the scenarios whose embedding server is in no trouble: local or none; local.")
    private String embeddings = "local";

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Same seed, same sessions; 1.")
    @Range(min = 0, max = Integer.MAX_VALUE)
    private long seed;

    @Option(names = "--json", description = "Print figures as one JSON object, for scripts.")
    private boolean json;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    BenchSessionsCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        if (!List.of("local", "none").contains(embeddings)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--embeddings is 'local' or 'none', not '" + embeddings + "'");
        }
        SessionsBench.Plan plan = new SessionsBench.Plan(
                scenarios(), messages, turns, warm, sessions, memories, backlog, restarts, window, embeddings, seed);
        return ScratchRun.run("recallgate-bench-data", directory -> {
            SessionsBench.Result result = new SessionsBench(context.bench()).run(directory, plan);
            List<String> missed = missed(result);
            if (json) {
                context.screen().out().println(toJson(result, missed).encode());
            } else {
                print(result, missed);
            }
            return missed.isEmpty() && result.violationCount() == 0 ? 0 : 1;
        });
    }

    private List<Scenario> scenarios() {
        if (names.isEmpty()) {
            return List.of(Scenario.values());
        }
        List<Scenario> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(Arrays.stream(Scenario.values())
                    .filter(scenario -> scenario.label().equals(name.strip().toLowerCase(Locale.ROOT)))
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.ParameterException(
                            spec.commandLine(),
                            "there is no scenario '" + name + "': there are "
                                    + String.join(
                                            ", ",
                                            Arrays.stream(Scenario.values())
                                                    .map(Scenario::label)
                                                    .toList()))));
        }
        return chosen;
    }

    private List<String> missed(SessionsBench.Result result) {
        List<String> missed = new ArrayList<>();
        for (ScenarioResult one : result.scenarios()) {
            String name = one.scenario().label();
            if (one.scenario().isHealthy()) {
                look(missed, name + " p95", one.upstream().percentileMillis(95), GOAL_P95_MILLIS);
            }
            look(missed, name + " p99", one.upstream().percentileMillis(99), GOAL_P99_MILLIS);
            if (one.scenario() == Scenario.IDLE) {
                int longest = one.lengths().get(one.lengths().size() - 1);
                look(
                        missed,
                        name + " p50 of " + longest + " messages",
                        one.upstream(longest).percentileMillis(50),
                        GOAL_P50_MILLIS);
            }
        }
        return missed;
    }

    private static void look(List<String> missed, String what, double millis, double goal) {
        if (millis > goal) {
            missed.add(String.format(Locale.ROOT, "%s: %,.1f ms, and the goal is %,.0f", what, millis, goal));
        }
    }

    private void print(SessionsBench.Result result, List<String> missed) {
        times(result);
        phases(result);
        state(result);
        missed.forEach(one -> line("MISSED  %s", one));
        if (result.violationCount() == 0) {
            line("checked: pairs whole, bytes as the client wrote them, answers as the provider gave them, every turn"
                    + " remembered once");
        } else {
            result.violations().forEach(one -> line("WRONG  %s", one));
            line("%d things are wrong", result.violationCount());
        }
    }

    private void times(SessionsBench.Result result) {
        Table table = Table.of(
                Table.left("scenario"),
                Table.left("messages"),
                Table.right("n"),
                Table.right("decode p50"),
                Table.right("p50 ms"),
                Table.right("p95 ms"),
                Table.right("p99 ms"),
                Table.right("max ms"),
                Table.right("cold"),
                Table.right("fresh"));
        for (ScenarioResult one : result.scenarios()) {
            row(table, one, "all", one.upstream());
            if (one.lengths().size() > 1) {
                one.lengths().forEach(length -> row(table, one, Integer.toString(length), one.upstream(length)));
            }
        }
        table.print(context.screen());
    }

    private static void row(Table table, ScenarioResult one, String messages, Spans spans) {
        boolean all = messages.equals("all");
        table.row(
                all ? one.scenario().label() : "",
                messages,
                Integer.toString(spans.size()),
                all ? millis(one.phase("decode").percentileMillis(50)) : "",
                millis(spans.percentileMillis(50)),
                millis(spans.percentileMillis(95)),
                millis(spans.percentileMillis(99)),
                millis(spans.percentileMillis(100)),
                all ? millis(one.cold().percentileMillis(50)) : "",
                all && one.fresh().size() > 0 ? millis(one.fresh().percentileMillis(50)) : "");
    }

    private void phases(SessionsBench.Result result) {
        List<Table.Column> columns = new ArrayList<>(List.of(Table.left("p50 / p95 ms of")));
        ScenarioResult.PHASES.forEach(phase -> columns.add(Table.right(phase)));
        Table table = Table.of(columns.toArray(Table.Column[]::new));
        for (ScenarioResult one : result.scenarios()) {
            List<String> cells = new ArrayList<>(List.of(one.scenario().label()));
            for (String phase : ScenarioResult.PHASES) {
                Spans spans = one.phase(phase);
                cells.add(millis(spans.percentileMillis(50)) + " / " + millis(spans.percentileMillis(95)));
            }
            table.row(cells.toArray(String[]::new));
        }
        table.print(context.screen());
    }

    private void state(SessionsBench.Result result) {
        for (ScenarioResult one : result.scenarios()) {
            int n = Math.max(1, one.upstream().size());
            line(
                    "%s: %.1f %% fell back%s%s; %d window moves, %,d to %,d tokens (p50 %,d); loop lag p99 %s; %s; at most %d waited for"
                            + " the model (%d ms), %d jobs (%d ms), %d left",
                    one.scenario().label(),
                    100.0 * one.fallbacks() / n,
                    one.degraded().isEmpty() ? "" : " " + new TreeMap<>(one.degraded()),
                    times(one.counts().refused(), "refused")
                            + times(one.counts().givenUp(), "given up")
                            + times(one.counts().lost(), "blocks of killed turns gone"),
                    one.counts().moves(),
                    one.windowTokens(0),
                    one.windowTokens(100),
                    one.windowTokens(50),
                    lag(one.state().loopLagP99Millis()),
                    mebibytes(
                            one.state().peaks().residentBytes(),
                            one.state().peaks().lastResidentBytes()),
                    one.state().peaks().queueDepth(),
                    one.state().peaks().queueAgeMillis(),
                    one.state().peaks().jobs(),
                    one.state().peaks().jobAgeMillis(),
                    one.state().jobsLeft());
        }
    }

    private static String times(int count, String what) {
        return count == 0 ? "" : ", " + count + " " + what;
    }

    private static String lag(@Nullable Double millis) {
        return millis == null ? "not told" : String.format(Locale.ROOT, "at most %.0f ms", millis);
    }

    private static String mebibytes(long most, long last) {
        return most == 0 ? "memory not told" : (most >> 20) + " MiB at most, " + (last >> 20) + " at the end";
    }

    private static String millis(double millis) {
        return String.format(Locale.ROOT, millis < 100 ? "%.1f" : "%,.0f", millis);
    }

    private void line(String format, Object... values) {
        context.screen().out().printf(Locale.ROOT, format + "%n", values);
    }

    private JsonObject toJson(SessionsBench.Result result, List<String> missed) {
        JsonArray scenarios = new JsonArray();
        result.scenarios().forEach(one -> scenarios.add(one.toJson()));
        return new JsonObject()
                .put("seed", seed)
                .put("memories", memories)
                .put("window_tokens", window)
                .put("scenarios", scenarios)
                .put("violations", new JsonArray(new ArrayList<>(result.violations())))
                .put("violation_count", result.violationCount())
                .put("missed", new JsonArray(new ArrayList<>(missed)))
                .put("met", missed.isEmpty());
    }
}
