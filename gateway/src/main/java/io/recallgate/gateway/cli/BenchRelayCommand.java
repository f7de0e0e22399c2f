package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.bench.ScratchRun;
import io.recallgate.gateway.cli.bench.sessions.RelayBench;
import io.recallgate.gateway.cli.console.Table;
import io.recallgate.gateway.cli.measure.Spans;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench relay}. */
@Command(
        name = "relay",
        description =
                "What the way through the gateway costs where memory does nothing: what it adds to a small request, in"
                        + " turns with the provider asked directly; many paced streams at once; bodies of 32 MiB; how soon"
                        + " the provider's connection ends when a client leaves. On a gateway and"
                        + " before a provider of its own.",
        footer = {
            "",
            "Goals: memory off adds at most 0.3 ms to half of the requests, and at most a quarter of what the other gateway",
            "adds; no stream is broken, memory grows by at most a twentieth in the last two thirds of them, and event loops are",
            "less than 20 ms late in 99 of 100 cases, with streams and with bodies; the provider's connection ends within 100 ms",
            "in 99 of 100 cases. Exit status 1 if one is missed.",
            "",
            "Examples:",
            "  ./recallgate bench relay",
            "  ./recallgate bench relay --scenario overhead --beside portkey",
            "  ./recallgate bench relay --scenario streams --streams 400 --seconds 30 --json"
        })
final class BenchRelayCommand implements Callable<Integer> {

    private static final double GOAL_ADDED_MILLIS = 0.3;
    private static final double GOAL_SHARE_OF_OTHER = 0.25;
    private static final double GOAL_LAG_MILLIS = 20;
    private static final double GOAL_GROWTH = 1.05;
    private static final double GOAL_ENDED_MILLIS = 100;

    private final CliContext context;

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            split = ",",
            description = "Only these: overhead, streams, bodies, leaving; all of them.")
    private List<RelayBench.Part> parts = new ArrayList<>();

    @Option(
            names = "--beside",
            paramLabel = "GATEWAY",
            description =
                    "Another gateway that takes its turns in overhead: portkey, which npm installs into the user's cache.")
    @Nullable
    private String beside;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5000",
            description = "Measured small requests each way, and as many before, 10 to 1000000; 5000.")
    @Range(min = 10, max = 1_000_000)
    private int rounds;

    @Option(
            names = "--streams",
            paramLabel = "N",
            defaultValue = "200",
            description = "Streams at once, 1 to 2000; 200.")
    @Range(min = 1, max = 2_000)
    private int streams;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "60", description = "That they take, 1 to 3600; 60.")
    @Range(min = 1, max = 3_600)
    private int seconds;

    @Option(
            names = "--every-ms",
            paramLabel = "N",
            defaultValue = "100",
            description = "Between two events of a stream, 1 to 10000; 100.")
    @Range(min = 1, max = 10_000)
    private int everyMillis;

    @Option(
            names = "--bodies",
            paramLabel = "N",
            defaultValue = "20",
            description = "Bodies of 32 MiB, in turns without and with memory, 1 to 1000; 20.")
    @Range(min = 1, max = 1_000)
    private int bodies;

    @Option(
            names = "--leaving",
            paramLabel = "N",
            defaultValue = "200",
            description = "Clients that leave before the first byte, and as many between two, 1 to 10000; 200.")
    @Range(min = 1, max = 10_000)
    private int leaving;

    @Option(names = "--json", description = "Print figures as one JSON object, for scripts.")
    private boolean json;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    BenchRelayCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        if (beside != null && !beside.equals("portkey")) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--beside is 'portkey', not '" + beside + "'");
        }
        Set<RelayBench.Part> chosen = parts.isEmpty() ? EnumSet.allOf(RelayBench.Part.class) : EnumSet.copyOf(parts);
        RelayBench.Plan plan =
                new RelayBench.Plan(chosen, beside != null, rounds, streams, seconds, everyMillis, bodies, leaving);
        return ScratchRun.run("recallgate-bench-data", directory -> {
            RelayBench.Result result = new RelayBench(context.bench(), context.environment()).run(directory, plan);
            List<String> missed = missed(result);
            if (json) {
                context.screen().out().println(toJson(result, missed).encode());
            } else {
                print(result);
                missed.forEach(one -> line("MISSED  %s", one));
            }
            return missed.isEmpty() ? 0 : 1;
        });
    }

    private static List<String> missed(RelayBench.Result result) {
        List<String> missed = new ArrayList<>();
        RelayBench.Overhead overhead = result.overhead();
        if (overhead != null) {
            look(missed, "added p50, ms", overhead.addedMillis(), GOAL_ADDED_MILLIS);
            if (overhead.other() != null) {
                look(
                        missed,
                        "added p50, as a share of what the other adds",
                        overhead.addedMillis() / overhead.otherAddedMillis(),
                        GOAL_SHARE_OF_OTHER);
            }
        }
        RelayBench.Streams streams = result.streams();
        if (streams != null) {
            look(missed, "broken streams", streams.broken(), 0);
            look(missed, "events lost", (double) (streams.expected() - streams.events()), 0);
            lag(missed, "streams", streams.loopLagP99Millis());
            if (streams.residentAtThirdBytes() > 0) {
                look(
                        missed,
                        "memory at the end, as a share of that after a third",
                        streams.residentAtEndBytes() / (double) streams.residentAtThirdBytes(),
                        GOAL_GROWTH);
            }
        }
        if (result.bodies() != null) {
            lag(missed, "bodies", result.bodies().loopLagP99Millis());
        }
        RelayBench.Leaving left = result.leaving();
        if (left != null) {
            look(missed, "left before the first byte, p99 ms", left.before().percentileMillis(99), GOAL_ENDED_MILLIS);
            look(missed, "left between two bytes, p99 ms", left.between().percentileMillis(99), GOAL_ENDED_MILLIS);
        }
        return missed;
    }

    private static void lag(List<String> missed, String what, @Nullable Double millis) {
        look(missed, what + ": event-loop lag p99, ms", millis == null ? Double.NaN : millis, GOAL_LAG_MILLIS);
    }

    private static void look(List<String> missed, String what, double value, double goal) {
        // Not a number is no goal met.
        if (!(value <= goal)) {
            missed.add(String.format(Locale.ROOT, "%s: %.2f, and the goal is at most %.2f", what, value, goal));
        }
    }

    private void print(RelayBench.Result result) {
        Table table = Table.of(
                Table.left("requests"),
                Table.right("n"),
                Table.right("p50 ms"),
                Table.right("p95 ms"),
                Table.right("p99 ms"),
                Table.right("added p50 ms"));
        RelayBench.Overhead overhead = result.overhead();
        if (overhead != null) {
            row(table, "small, to the provider", overhead.direct(), "");
            row(table, "small, through the gateway, memory off", overhead.through(), added(overhead.addedMillis()));
            if (overhead.other() != null) {
                row(table, "small, through " + beside, overhead.other(), added(overhead.otherAddedMillis()));
            }
        }
        RelayBench.Bodies large = result.bodies();
        if (large != null) {
            row(table, "32 MiB, memory off", large.off(), "");
            row(table, "32 MiB, memory full", large.full(), "");
        }
        RelayBench.Leaving left = result.leaving();
        if (left != null) {
            row(table, "client left before the first byte to provider's connection ended", left.before(), "");
            row(table, "client left between two bytes to provider's connection ended", left.between(), "");
        }
        if (!table.isEmpty()) {
            table.print(context.screen());
        }
        RelayBench.Streams many = result.streams();
        if (many != null) {
            line(
                    "%d streams for %d s: %,d of %,d events, %d streams broken, event-loop lag p99 %s, %d MiB after a third"
                            + " and %d at the end",
                    streams,
                    seconds,
                    many.events(),
                    many.expected(),
                    many.broken(),
                    told(many.loopLagP99Millis()),
                    many.residentAtThirdBytes() >> 20,
                    many.residentAtEndBytes() >> 20);
        }
        if (large != null) {
            line("bodies of 32 MiB: event-loop lag p99 %s", told(large.loopLagP99Millis()));
        }
    }

    private static void row(Table table, String name, Spans spans, String added) {
        table.row(
                name,
                Integer.toString(spans.size()),
                String.format(Locale.ROOT, "%,.2f", spans.percentileMillis(50)),
                String.format(Locale.ROOT, "%,.2f", spans.percentileMillis(95)),
                String.format(Locale.ROOT, "%,.2f", spans.percentileMillis(99)),
                added);
    }

    private static String added(double millis) {
        return String.format(Locale.ROOT, "%.2f", millis);
    }

    private static String told(@Nullable Double millis) {
        return millis == null ? "not told" : String.format(Locale.ROOT, "at most %.0f ms", millis);
    }

    private void line(String format, Object... values) {
        context.screen().out().printf(Locale.ROOT, format + "%n", values);
    }

    private static JsonObject toJson(RelayBench.Result result, List<String> missed) {
        JsonObject figures = new JsonObject();
        RelayBench.Overhead overhead = result.overhead();
        if (overhead != null) {
            figures.put(
                    "overhead",
                    new JsonObject()
                            .put("direct_ms", overhead.direct().toJson())
                            .put("through_ms", overhead.through().toJson())
                            .put(
                                    "other_ms",
                                    overhead.other() == null
                                            ? null
                                            : overhead.other().toJson())
                            .put("added_p50_ms", overhead.addedMillis())
                            .put("other_added_p50_ms", overhead.other() == null ? null : overhead.otherAddedMillis()));
        }
        RelayBench.Streams streams = result.streams();
        if (streams != null) {
            figures.put(
                    "streams",
                    new JsonObject()
                            .put("events", streams.events())
                            .put("expected", streams.expected())
                            .put("broken", streams.broken())
                            .put("event_loop_lag_p99_ms", streams.loopLagP99Millis())
                            .put("resident_bytes_after_a_third", streams.residentAtThirdBytes())
                            .put("resident_bytes_at_the_end", streams.residentAtEndBytes()));
        }
        RelayBench.Bodies bodies = result.bodies();
        if (bodies != null) {
            figures.put(
                    "bodies",
                    new JsonObject()
                            .put("off_ms", bodies.off().toJson())
                            .put("full_ms", bodies.full().toJson())
                            .put("event_loop_lag_p99_ms", bodies.loopLagP99Millis()));
        }
        RelayBench.Leaving left = result.leaving();
        if (left != null) {
            figures.put(
                    "leaving",
                    new JsonObject()
                            .put("before_first_byte_ms", left.before().toJson())
                            .put("between_bytes_ms", left.between().toJson()));
        }
        return figures.put("missed", new JsonArray(new ArrayList<>(missed))).put("met", missed.isEmpty());
    }
}
