package io.recallgate.bench.importing;

import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.gateway.cli.bench.ScratchRun;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./recallgate bench import}. */
@Command(
        name = "recallgate bench import",
        mixinStandardHelpOptions = true,
        description = {
            "Imports made-up memories over HTTP and measures from the first write until the last is embedded, with hybrid"
                    + " recalls at a steady rate beside it: a gateway of its own with a durable PostgreSQL on an empty data"
                    + " directory, in one process. Before and after, its pool embeds such texts with nothing else to do.",
            "Goals: at least 0.9 of the pool's own throughput, by CPU time less that of the recalls; recalls beside it p95 at most that of idle ones"
                    + " plus one slice of the pool plus 10 ms, none degraded; a heap that stays within 32 MiB, its cache of"
                    + " vectors apart. Exit status 1 if one is missed."
        },
        footer = {"", "Examples:", "  ./recallgate bench import --memories 5000", "  ./recallgate bench import --json"})
public final class ImportBench implements Callable<Integer> {

    private static final double GOAL_SHARE = 0.9;
    private static final double GOAL_MORE_MILLIS = 10;
    private static final long GOAL_GROWTH_BYTES = 32L << 20;
    private static final double MIB = 1 << 20;

    /** As the pool counts by default; the slice that a recall may wait for is one worker's. */
    private static final int WORKERS = EmbeddingOptions.defaultWorkers();

    private final PrintStream out;
    private final PrintStream progress;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--memories",
            paramLabel = "N",
            description = "Memories of 20 to 60 tokens, 100 to 200000 (default ${DEFAULT-VALUE}).")
    private int memories = 100_000;

    @Option(
            names = "--pool-texts",
            paramLabel = "N",
            description =
                    "Texts that the pool is given alone, before and after, 100 to 100000 (default ${DEFAULT-VALUE}).")
    private int poolTexts = 3_000;

    @Option(
            names = "--recalls",
            paramLabel = "N",
            description = "Recalls in a second beside the import, 1 to 50 (default ${DEFAULT-VALUE}).")
    private int recalls = 1;

    @Option(
            names = "--idle-recalls",
            paramLabel = "N",
            description = "Recalls after it, 10 to 10000 (default ${DEFAULT-VALUE}).")
    private int idleRecalls = 300;

    @Option(names = "--seed", paramLabel = "N", description = "Same seed, same texts (default ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--json", description = "One JSON object instead of a table.")
    private boolean json;

    ImportBench(PrintStream out, PrintStream progress) {
        this.out = out;
        this.progress = progress;
    }

    /** Runs it. */
    public static void main(String... arguments) {
        System.exit(command(System.out, System.err).execute(arguments));
    }

    static CommandLine command(PrintStream out, PrintStream progress) {
        return new CommandLine(new ImportBench(out, progress)).setExecutionExceptionHandler((failure, line, parsed) -> {
            if (failure instanceof CommandFailedException) {
                progress.println("recallgate: " + failure.getMessage());
                return 1;
            }
            throw failure;
        });
    }

    @Override
    public Integer call() throws Exception {
        require("--memories", memories, 100, 200_000);
        require("--pool-texts", poolTexts, 100, 100_000);
        require("--recalls", recalls, 1, 50);
        require("--idle-recalls", idleRecalls, 10, 10_000);
        return ScratchRun.run("recallgate-bench-data", this::measureAndTell);
    }

    private int measureAndTell(Path directory) throws Exception {
        ImportLoad.Result result = measure(directory);
        Verdict verdict = Verdict.of(result);
        if (json) {
            out.println(toJson(result, verdict).encode());
        } else {
            print(result, verdict);
        }
        return verdict.met() ? 0 : 1;
    }

    /** Which goals are met. */
    private record Verdict(double boundMillis, boolean throughput, boolean recall, boolean heap) {
        static Verdict of(ImportLoad.Result result) {
            double bound = result.idle().spans().percentileMillis(95) + result.sliceMillis(WORKERS) + GOAL_MORE_MILLIS;
            return new Verdict(
                    bound,
                    result.shareWithoutRecalls() >= GOAL_SHARE,
                    result.during().spans().percentileMillis(95) <= bound
                            && result.during().degraded() == 0,
                    result.growthBytes() <= GOAL_GROWTH_BYTES);
        }

        boolean met() {
            return throughput && recall && heap;
        }
    }

    private ImportLoad.Result measure(Path directory) throws Exception {
        progress.println("starting a gateway");
        try (ImportLoad load = new ImportLoad(directory, memories, progress)) {
            return load.run(new ImportLoad.Plan(memories, poolTexts, recalls, idleRecalls, seed));
        }
    }

    private JsonObject toJson(ImportLoad.Result result, Verdict verdict) {
        JsonArray heap = new JsonArray();
        result.heap()
                .forEach(look -> heap.add(new JsonObject()
                        .put("memories", look.memories())
                        .put("heap_bytes", look.heapBytes())
                        .put("cache_bytes", look.cacheBytes())));
        return new JsonObject()
                .put("memories", memories)
                .put("pool_before", result.before().toJson())
                .put("pool_after", result.after().toJson())
                .put("import", result.all().toJson())
                .put("stored_seconds", rounded(result.storedSeconds()))
                .put("share", rounded(result.share()))
                .put("share_by_cpu", rounded(result.shareByCpu()))
                .put("share_without_recalls", rounded(result.shareWithoutRecalls()))
                .put("recall_cpu_ms", rounded(result.idle().work().cpuMillisPerText()))
                .put("recall_idle_ms", result.idle().spans().toJson())
                .put("recall_ms", result.during().spans().toJson())
                .put("degraded", result.during().degraded())
                .put("slice_ms", rounded(result.sliceMillis(WORKERS)))
                .put("goal_recall_p95_ms", rounded(verdict.boundMillis()))
                .put("heap", heap)
                .put("met", verdict.met());
    }

    private void print(ImportLoad.Result result, Verdict verdict) {
        line("%-22s %8s %9s %9s %14s", "", "texts", "seconds", "texts/s", "CPU ms a text");
        row("pool alone, before", result.before());
        row("pool alone, after", result.after());
        row("import", result.all());
        line(
                "share of the pool's throughput: %.3f by time, %.3f by CPU, %.3f without the recalls' CPU (goal at least %.1f)%s",
                result.share(),
                result.shareByCpu(),
                result.shareWithoutRecalls(),
                GOAL_SHARE,
                missed(verdict.throughput()));
        line(
                "stored after %.1f s; a recall costs %.1f ms of CPU when idle",
                result.storedSeconds(), result.idle().work().cpuMillisPerText());
        line("%-22s %8s %9s %9s %9s", "hybrid recall", "n", "p50 ms", "p95 ms", "p99 ms");
        row("idle, all memories", result.idle());
        row("beside the import", result.during());
        line(
                "goal: p95 at most %.1f ms (idle, one slice of %.1f ms, %.0f ms), %d of %d degraded%s",
                verdict.boundMillis(),
                result.sliceMillis(WORKERS),
                GOAL_MORE_MILLIS,
                result.during().degraded(),
                result.during().spans().size(),
                missed(verdict.recall()));
        line("%-22s %9s %9s %9s", "heap after collection", "all MiB", "vectors", "rest");
        result.heap()
                .forEach(look -> line(
                        "%,22d %9.1f %9.1f %9.1f",
                        look.memories(), look.heapBytes() / MIB, look.cacheBytes() / MIB, look.restBytes() / MIB));
        line(
                "the rest grew by %.1f MiB (goal at most %.0f)%s",
                result.growthBytes() / MIB, GOAL_GROWTH_BYTES / MIB, missed(verdict.heap()));
    }

    private void row(String name, Work work) {
        line(
                "%-22s %8d %9.1f %9.1f %14.2f",
                name, work.texts(), work.seconds(), work.perSecond(), work.cpuMillisPerText());
    }

    private void row(String name, Recalls.Asked asked) {
        line(
                "%-22s %8d %9.2f %9.2f %9.2f",
                name,
                asked.spans().size(),
                asked.spans().percentileMillis(50),
                asked.spans().percentileMillis(95),
                asked.spans().percentileMillis(99));
    }

    private void line(String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
    }

    private static String missed(boolean met) {
        return met ? "" : "  MISSED";
    }

    private static double rounded(double value) {
        return Math.round(value * 1_000) / 1_000.0;
    }

    private void require(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(), option + " is " + value + "; allowed is " + least + " to " + most);
        }
    }
}
