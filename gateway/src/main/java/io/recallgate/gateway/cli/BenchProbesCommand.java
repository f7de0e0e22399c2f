package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.bench.ProbePlan;
import io.recallgate.gateway.cli.bench.ProbesBench;
import io.recallgate.gateway.cli.bench.ProbesBench.Row;
import io.recallgate.gateway.cli.bench.ScratchRun;
import io.recallgate.gateway.cli.console.Table;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench probes}. */
@Command(
        name = "probes",
        description =
                "How the two probes pace themselves before an embedding provider whose answers take 0.1 s, then 20 s, 90 s,"
                        + " are refused, and take 0.1 s again, with a cadence of 2 s, a budget of 30 s and a duty of 0.2; beside what"
                        + " the rules of pacing predict. On a gateway of its own, in a directory that is gone afterwards.",
        footer = {
            "",
            "All spans are divided by --speed; attempts a minute are of the full scale. Goals, for each probe and phase: at most",
            "the duty of the time is charged, no idle gap is shorter than the floor, and no state shows that is not",
            "predicted. Exit status 1 if one is missed. \"busy\" is the provider's own share: it works on after a probe has",
            "given up, so it may exceed what is charged. The provider's answers are not made slower by each other.",
            "",
            "Examples:",
            "  ./recallgate bench probes",
            "  ./recallgate bench probes --speed 1 --json"
        })
final class BenchProbesCommand implements Callable<Integer> {

    /** Spans are told in microseconds. */
    private static final double ROUNDING_MILLIS = 0.1;

    private static final double ROUNDING_SHARE = 0.000_1;

    private final CliContext context;

    @Option(
            names = "--speed",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many times as fast as the full scale, which takes 27 minutes, 1 to 40; 10.")
    @Range(min = 1, max = 40)
    private int speed;

    @Option(
            names = "--percent",
            paramLabel = "N",
            defaultValue = "100",
            description = "Of the usual length of each phase, 1 to 1000; 100.")
    @Range(min = 1, max = 1_000)
    private int percent;

    @Option(names = "--json", description = "Print figures as one JSON object, for scripts.")
    private boolean json;

    BenchProbesCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        return ScratchRun.run("recallgate-bench-data", directory -> {
            List<Row> rows = new ProbesBench(context.bench()).run(directory, ProbePlan.usual(speed, percent));
            boolean met = rows.stream().allMatch(BenchProbesCommand::isMet);
            if (json) {
                context.screen().out().println(toJson(rows, met).encode());
            } else {
                print(rows);
            }
            return met ? 0 : 1;
        });
    }

    private static boolean isMet(Row row) {
        return (row.share() == null || row.share() <= ProbePlan.DUTY + ROUNDING_SHARE)
                && row.floorMillis() <= ROUNDING_MILLIS
                && row.phase().states().containsAll(row.states().keySet());
    }

    private void print(List<Row> rows) {
        Table table = Table.of(
                Table.left("provider"),
                Table.left("probe"),
                Table.right("n"),
                Table.right("/min"),
                Table.right("rule"),
                Table.right("charged ms"),
                Table.right("idle ms"),
                Table.right("late ms"),
                Table.right("share"),
                Table.right("busy"),
                Table.right("skipped"),
                Table.elastic("states, in looks"));
        for (Row row : rows) {
            table.row(
                    row.phase().name(),
                    row.probe(),
                    Integer.toString(row.attempts()),
                    decimal(row.perMinute(), "%,.1f"),
                    decimal(row.phase().perMinute(), "%,.1f"),
                    decimal(row.costMillis(), "%,.1f"),
                    decimal(row.idleMillis(), "%,.0f"),
                    decimal(row.lateMillis(), "%,.1f"),
                    decimal(row.share(), "%.3f"),
                    decimal(row.busy(), "%.3f"),
                    Long.toString(row.skipped()),
                    new TreeMap<>(row.states()) + (isMet(row) ? "" : "  MISSED"));
        }
        table.print(context.screen());
    }

    private static String decimal(@Nullable Double value, String format) {
        return value == null ? "-" : String.format(Locale.ROOT, format, value);
    }

    private JsonObject toJson(List<Row> rows, boolean met) {
        JsonArray list = new JsonArray();
        rows.forEach(row -> {
            JsonObject states = new JsonObject();
            row.states().forEach(states::put);
            list.add(new JsonObject()
                    .put("provider", row.phase().name())
                    .put("probe", row.probe())
                    .put("attempts", row.attempts())
                    .put("per_minute", row.perMinute())
                    .put("predicted_per_minute", row.phase().perMinute())
                    .put("charged_ms", row.costMillis())
                    .put("shortest_idle_ms", row.idleMillis())
                    .put("below_floor_ms", row.floorMillis())
                    .put("late_ms", row.lateMillis())
                    .put("charged_share", row.share())
                    .put("provider_busy_share", row.busy())
                    .put("skipped_ticks", row.skipped())
                    .put("states", states)
                    .put("goals_met", isMet(row)));
        });
        return new JsonObject()
                .put("speed", speed)
                .put("duty", ProbePlan.DUTY)
                .put("rows", list)
                .put("met", met);
    }
}
