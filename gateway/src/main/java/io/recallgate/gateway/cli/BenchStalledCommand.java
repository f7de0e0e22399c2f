package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.bench.ScratchRun;
import io.recallgate.gateway.cli.bench.StalledBench;
import io.recallgate.gateway.cli.bench.StalledBench.Bounded;
import io.recallgate.gateway.cli.console.Table;
import io.recallgate.gateway.cli.measure.Spans;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench stalled}. */
@Command(
        name = "stalled",
        description =
                "Hybrid recalls while a fifth of the questions stall at the embedding provider: with the embedding's"
                        + " limit alone, with a deadline of the request, and with the breaker open, in turns with lexical ones. On"
                        + " gateways of its own, in a directory that is gone afterwards.",
        footer = {
            "",
            "Goals: with the limit of 2,500 ms no recall takes more than 2,600; with \"deadline_ms\":300 the p99 is at most",
            "320 ms; with the breaker open the p99 is at most 1.5 times that of lexical recalls. Exit status 1 if one is",
            "missed. The breaker is off for the first two. The provider stops work when its client goes.",
            "",
            "Examples:",
            "  ./recallgate bench stalled",
            "  ./recallgate bench stalled --recalls 100 --rounds 500 --json"
        })
final class BenchStalledCommand implements Callable<Integer> {

    private static final double GOAL_LIMIT_MILLIS = StalledBench.LIMIT_MILLIS + 100;
    private static final double GOAL_DEADLINE_MILLIS = StalledBench.DEADLINE_MILLIS + 20;
    private static final double GOAL_OPEN = 1.5;

    private final CliContext context;

    @Option(
            names = "--recalls",
            paramLabel = "N",
            defaultValue = "400",
            description = "Recalls with the limit alone, and five times as many with a deadline, 10 to 100000; 400.")
    @Range(min = 10, max = 100_000)
    private int recalls;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3000",
            description = "Rounds with the breaker open, one hybrid and one lexical recall each, 10 to 100000; 3000.")
    @Range(min = 10, max = 100_000)
    private int rounds;

    @Option(
            names = "--stall-ms",
            paramLabel = "N",
            defaultValue = "10000",
            description = "How long a question stalls, 3000 to 60000; 10000.")
    @Range(min = 3_000, max = 60_000)
    private int stallMillis;

    @Option(
            names = "--memories",
            paramLabel = "N",
            defaultValue = "2000",
            description = "How many memories there are, 1 to 100000; 2000.")
    @Range(min = 1, max = 100_000)
    private int memories;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Same seed, same stalls; 1.")
    @Range(min = 0, max = Integer.MAX_VALUE)
    private long seed;

    @Option(names = "--json", description = "Print figures as one JSON object, for scripts.")
    private boolean json;

    BenchStalledCommand(CliContext context) {
        this.context = context;
    }

    /** Which goals are met. */
    private record Verdict(boolean limit, boolean deadline, boolean open) {
        static Verdict of(StalledBench.Result result) {
            return new Verdict(
                    result.limit().spans().percentileMillis(100) <= GOAL_LIMIT_MILLIS,
                    result.deadline().spans().percentileMillis(99) <= GOAL_DEADLINE_MILLIS,
                    result.open().spans().percentileMillis(99) <= goalOpenMillis(result) && isOpen(result.open()));
        }

        /** Every one was refused by the breaker, or it is something else that was measured. */
        private static boolean isOpen(Bounded open) {
            return Map.of("embedding-circuit-open", open.spans().size()).equals(open.reasons());
        }

        boolean met() {
            return limit && deadline && open;
        }
    }

    private static double goalOpenMillis(StalledBench.Result result) {
        return GOAL_OPEN * result.lexical().percentileMillis(99);
    }

    @Override
    public Integer call() throws Exception {
        return ScratchRun.run("recallgate-bench-data", directory -> {
            StalledBench bench = new StalledBench(context.screen(), context.clock(), context.pauses());
            StalledBench.Result result =
                    bench.run(directory, new StalledBench.Plan(recalls, rounds, stallMillis, memories, seed));
            Verdict verdict = Verdict.of(result);
            if (json) {
                context.screen().out().println(toJson(result, verdict).encode());
            } else {
                print(result, verdict);
            }
            return verdict.met() ? 0 : 1;
        });
    }

    private void print(StalledBench.Result result, Verdict verdict) {
        Table table = Table.of(
                Table.left("recall"),
                Table.right("n"),
                Table.right("degraded"),
                Table.right("p50 ms"),
                Table.right("p80 ms"),
                Table.right("p95 ms"),
                Table.right("p99 ms"),
                Table.right("max ms"),
                Table.left("goal"));
        row(
                table,
                "hybrid, limit 2500 ms",
                result.limit(),
                goal("max at most %,.0f ms", GOAL_LIMIT_MILLIS, verdict.limit()));
        row(
                table,
                "hybrid, deadline 300 ms",
                result.deadline(),
                goal("p99 at most %,.0f ms", GOAL_DEADLINE_MILLIS, verdict.deadline()));
        row(
                table,
                "hybrid, breaker open",
                result.open(),
                goal("p99 at most %,.2f ms", goalOpenMillis(result), verdict.open()));
        row(table, "lexical, in turns", new Bounded(result.lexical(), Map.of()), "");
        table.print(context.screen());
        context.screen()
                .out()
                .printf(
                        Locale.ROOT,
                        "reasons: limit %s, deadline %s, breaker open %s%n",
                        new TreeMap<>(result.limit().reasons()),
                        new TreeMap<>(result.deadline().reasons()),
                        new TreeMap<>(result.open().reasons()));
    }

    private static String goal(String format, double value, boolean met) {
        return String.format(Locale.ROOT, format, value) + (met ? "" : "  MISSED");
    }

    private static void row(Table table, String name, Bounded bounded, String goal) {
        Spans spans = bounded.spans();
        table.row(
                name,
                Integer.toString(spans.size()),
                Integer.toString(bounded.reasons().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum()),
                millis(spans, 50),
                millis(spans, 80),
                millis(spans, 95),
                millis(spans, 99),
                millis(spans, 100),
                goal);
    }

    private static String millis(Spans spans, double percent) {
        return String.format(Locale.ROOT, "%,.2f", spans.percentileMillis(percent));
    }

    private static JsonObject toJson(StalledBench.Result result, Verdict verdict) {
        return new JsonObject()
                .put("limit", toJson(result.limit()).put("goal_max_ms", GOAL_LIMIT_MILLIS))
                .put("deadline", toJson(result.deadline()).put("goal_p99_ms", GOAL_DEADLINE_MILLIS))
                .put("open", toJson(result.open()).put("goal_p99_ms", goalOpenMillis(result)))
                .put("lexical", toJson(new Bounded(result.lexical(), Map.of())))
                .put("met", verdict.met());
    }

    private static JsonObject toJson(Bounded bounded) {
        JsonObject reasons = new JsonObject();
        bounded.reasons().forEach(reasons::put);
        JsonObject millis = bounded.spans().spreadJson();
        return new JsonObject()
                .put("ms", millis.put("p99", bounded.spans().toJson().getDouble("p99")))
                .put("degraded", reasons);
    }
}
