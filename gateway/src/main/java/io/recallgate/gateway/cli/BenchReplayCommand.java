package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.bench.ReplayBench;
import io.recallgate.gateway.cli.bench.ReplayBench.Replay;
import io.recallgate.gateway.cli.bench.ScratchRun;
import io.recallgate.gateway.cli.bench.StalledBench;
import io.recallgate.gateway.cli.console.Table;
import io.recallgate.gateway.cli.measure.Spans;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench replay}. */
@Command(
        name = "replay",
        description = "Replays two weeks of recalls, 2,404 in a published mix of modes, before an embedding provider of"
                + " which a fifth of the questions stall for ten seconds: first with every embedding waited for, then"
                + " with the defaults. Each on a gateway of its own, in a directory that is gone afterwards.",
        footer = {
            "",
            "Before: the embedding's limit is 15 s, the breaker never opens, no vector is remembered. After: the defaults.",
            "Both have 256 connections to the provider, since two weeks pass in minutes and stalls meet that would not.",
            "Limits, stalls and the breaker's waits are not made shorter. Goal: after, no recall takes more than the limit",
            "of 2,500 ms and 100 ms. Exit status 1 if it is missed.",
            "",
            "Examples:",
            "  ./recallgate bench replay",
            "  ./recallgate bench replay --calls 240 --seconds 20 --json"
        })
final class BenchReplayCommand implements Callable<Integer> {

    private static final double GOAL_MILLIS = StalledBench.LIMIT_MILLIS + 100;
    private static final List<String> MODES = List.of("lexical", "strict", "hybrid", "all");

    private final CliContext context;

    @Option(
            names = "--calls",
            paramLabel = "N",
            defaultValue = "2404",
            description = "Recalls in each replay, 20 to 100000; 2404.")
    @Range(min = 20, max = 100_000)
    private int calls;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "In which they are sent, 1 to 86400; 60.")
    @Range(min = 1, max = 86_400)
    private int seconds;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "96",
            description = "That send them, and wait for their answers, 1 to 256; 96.")
    @Range(min = 1, max = 256)
    private int clients;

    @Option(
            names = "--stall-percent",
            paramLabel = "N",
            defaultValue = "20",
            description = "Of the questions' embeddings stall, 0 to 100; 20.")
    @Range(min = 0, max = 100)
    private int stallPercent;

    @Option(
            names = "--stall-ms",
            paramLabel = "N",
            defaultValue = "10000",
            description = "How long, 100 to 14000; 10000.")
    @Range(min = 100, max = 14_000)
    private int stallMillis;

    @Option(
            names = "--memories",
            paramLabel = "N",
            defaultValue = "2000",
            description = "How many memories there are, 1 to 100000; 2000.")
    @Range(min = 1, max = 100_000)
    private int memories;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Same seed, same replay; 1.")
    @Range(min = 0, max = Integer.MAX_VALUE)
    private long seed;

    @Option(names = "--json", description = "Print figures as one JSON object, for scripts.")
    private boolean json;

    BenchReplayCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        return ScratchRun.run("recallgate-bench-data", directory -> {
            ReplayBench bench = new ReplayBench(context.screen(), context.clock(), context.pauses());
            ReplayBench.Result result = bench.run(
                    directory,
                    new ReplayBench.Plan(calls, seconds, clients, stallPercent / 100.0, stallMillis, memories, seed));
            boolean met = result.after().spans("all").percentileMillis(100) <= GOAL_MILLIS;
            if (json) {
                context.screen().out().println(toJson(result, met).encode());
            } else {
                print(result, met);
            }
            return met ? 0 : 1;
        });
    }

    /** How much faster than in truth the calls come. */
    private long timesAsFast() {
        return Math.round(TimeUnit.DAYS.toSeconds(ReplayBench.DAYS)
                * (double) calls
                / (ReplayBench.LEXICAL + ReplayBench.STRICT + ReplayBench.HYBRID)
                / seconds);
    }

    private void print(ReplayBench.Result result, boolean met) {
        Table table = Table.of(
                Table.left("mode"),
                Table.left("replay"),
                Table.right("n"),
                Table.right("p50 ms"),
                Table.right("p80 ms"),
                Table.right("p90 ms"),
                Table.right("p95 ms"),
                Table.right("max ms"));
        for (String mode : MODES) {
            row(table, mode, "before", result.before().spans(mode));
            row(table, mode, "after", result.after().spans(mode));
        }
        table.print(context.screen());
        told("before", result.before());
        told("after", result.after());
        line(
                "calls come %,d times as fast as in truth (sent up to %.0f ms late); limits, stalls and the breaker's waits"
                        + " last as long as ever, so an open breaker answers calls that would come hours later",
                timesAsFast(),
                Math.max(result.before().lateMillis(), result.after().lateMillis()));
        line(
                "goal: after, max at most %,.0f ms: %,.0f ms%s",
                GOAL_MILLIS, result.after().spans("all").percentileMillis(100), met ? "" : "  MISSED");
    }

    private static void row(Table table, String mode, String name, Spans spans) {
        table.row(
                mode,
                name,
                Integer.toString(spans.size()),
                millis(spans, 50),
                millis(spans, 80),
                millis(spans, 90),
                millis(spans, 95),
                millis(spans, 100));
    }

    private static String millis(Spans spans, double percent) {
        return String.format(Locale.ROOT, "%,.1f", spans.percentileMillis(percent));
    }

    private void told(String name, Replay replay) {
        int hybrid = replay.spans("hybrid").size();
        int open = replay.reasons().getOrDefault("embedding-circuit-open", 0);
        line(
                "%s: %d of %d questions that reached the provider stalled; %d of %d hybrid recalls degraded (%s, of all %s)%s",
                name,
                replay.stalled(),
                replay.asked(),
                replay.degraded(),
                hybrid,
                percent(replay.degraded(), hybrid),
                percent(replay.degraded(), replay.spans("all").size()),
                replay.reasons().isEmpty() ? "" : " " + new TreeMap<>(replay.reasons()));
        if (open > 0) {
            line(
                    "%s: of the hybrid recalls that no open breaker answered %s were degraded",
                    name, percent(replay.degraded() - open, hybrid - open));
        }
    }

    private static String percent(int some, int all) {
        return String.format(Locale.ROOT, "%.1f %%", 100.0 * some / Math.max(1, all));
    }

    private void line(String format, Object... values) {
        context.screen().out().printf(Locale.ROOT, format + "%n", values);
    }

    private JsonObject toJson(ReplayBench.Result result, boolean met) {
        return new JsonObject()
                .put("calls", calls)
                .put("seconds", seconds)
                .put("times_as_fast", timesAsFast())
                .put("stall_percent", stallPercent)
                .put("stall_ms", stallMillis)
                .put("before", toJson(result.before()))
                .put("after", toJson(result.after()))
                .put("goal_max_ms", GOAL_MILLIS)
                .put("met", met);
    }

    private static JsonObject toJson(Replay replay) {
        JsonObject figures = new JsonObject();
        MODES.forEach(mode -> figures.put(mode + "_ms", replay.spans(mode).spreadJson()));
        JsonObject reasons = new JsonObject();
        replay.reasons().forEach(reasons::put);
        return figures.put("asked", replay.asked())
                .put("stalled", replay.stalled())
                .put("degraded", reasons)
                .put("late_ms", Math.round(replay.lateMillis()));
    }
}
