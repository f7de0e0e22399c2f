package io.recallgate.bench.write;

import io.recallgate.bench.OptionRange;
import io.recallgate.gateway.cli.bench.ScratchRun;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./recallgate bench write}. */
@Command(
        name = "recallgate bench write",
        mixinStandardHelpOptions = true,
        description = {
            "Measures how long a write takes until it is acknowledged while the embedder stands still: a gateway of its"
                    + " own with a durable PostgreSQL on an empty data directory, over HTTP, in one process.",
            "The goal is for one memory from one client: p50 at most 10 ms. Exit status 1 if it is missed."
        },
        footer = {
            "",
            "Examples:",
            "  ./recallgate bench write",
            "  ./recallgate bench write --writes 10000 --json",
            "  ./recallgate bench write --memories 100 --clients 4"
        })
public final class WriteBench implements Callable<Integer> {

    private static final double GOAL_P50_MILLIS = 10;

    private final PrintStream out;
    private final PrintStream progress;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--writes",
            paramLabel = "N",
            description = "Measured requests, 10 to 100000 (default ${DEFAULT-VALUE}).")
    private int writes = 2_000;

    @Option(
            names = "--warm",
            paramLabel = "N",
            description = "Requests before, 0 to 100000 (default ${DEFAULT-VALUE}).")
    private int warm = 1_000;

    @Option(
            names = "--memories",
            paramLabel = "N",
            description = "Memories in each request, 1 to 1000 (default ${DEFAULT-VALUE}).")
    private int memories = 1;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "Clients that write at the same time, 1 to 64 (default ${DEFAULT-VALUE}).")
    private int clients = 1;

    @Option(names = "--seed", paramLabel = "N", description = "Same seed, same texts (default ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--json", description = "One JSON object instead of a table.")
    private boolean json;

    WriteBench(PrintStream out, PrintStream progress) {
        this.out = out;
        this.progress = progress;
    }

    /** Runs it. */
    public static void main(String... arguments) {
        System.exit(command(System.out, System.err).execute(arguments));
    }

    static CommandLine command(PrintStream out, PrintStream progress) {
        return new CommandLine(new WriteBench(out, progress)).setExecutionExceptionHandler((failure, line, parsed) -> {
            if (failure instanceof CommandFailedException) {
                progress.println("recallgate: " + failure.getMessage());
                return 1;
            }
            throw failure;
        });
    }

    @Override
    public Integer call() throws Exception {
        OptionRange.require(spec, "--writes", writes, 10, 100_000);
        OptionRange.require(spec, "--warm", warm, 0, 100_000);
        OptionRange.require(spec, "--memories", memories, 1, 1_000);
        OptionRange.require(spec, "--clients", clients, 1, 64);
        return ScratchRun.run("recallgate-bench-data", this::measureAndTell);
    }

    private int measureAndTell(Path directory) throws Exception {
        WriteLoad.Result result = measure(directory);
        if (result.embedded() > 0 || result.asked() == 0) {
            throw new CommandFailedException("nothing was measured: the embedder was asked " + result.asked()
                    + " times and finished " + result.embedded() + " jobs, so it did not stand still");
        }
        boolean goal = memories == 1 && clients == 1;
        boolean met = !goal || result.spans().percentileMillis(50) <= GOAL_P50_MILLIS;
        if (json) {
            out.println(new JsonObject()
                    .put("memories_per_write", memories)
                    .put("clients", clients)
                    .put("write_ms", result.spans().toJson())
                    .put("memories_per_second", Math.round(result.memoriesPerSecond()))
                    .put("jobs_waiting", result.waiting())
                    .put("goal_p50_ms", goal ? GOAL_P50_MILLIS : null)
                    .put("met", met)
                    .encode());
        } else {
            print(result, goal, met);
        }
        return met ? 0 : 1;
    }

    private WriteLoad.Result measure(Path directory) throws Exception {
        progress.println("starting a gateway whose embedder stands still");
        try (WriteLoad load = new WriteLoad(directory)) {
            progress.println("writing");
            return load.run(new WriteLoad.Plan(writes, warm, memories, clients, seed));
        }
    }

    private void print(WriteLoad.Result result, boolean goal, boolean met) {
        out.printf(
                Locale.ROOT,
                "%-10s %8s %8s %8s %8s %8s %12s%n",
                "a write of",
                "clients",
                "n",
                "p50 ms",
                "p95 ms",
                "p99 ms",
                "memories/s");
        out.printf(
                Locale.ROOT,
                "%-10d %8d %8d %8.2f %8.2f %8.2f %12.0f%n",
                memories,
                clients,
                result.spans().size(),
                result.spans().percentileMillis(50),
                result.spans().percentileMillis(95),
                result.spans().percentileMillis(99),
                result.memoriesPerSecond());
        out.printf(Locale.ROOT, "%,d jobs wait, none is done: the embedder stood still%n", result.waiting());
        if (goal) {
            out.printf(Locale.ROOT, "goal: p50 at most %.0f ms%s%n", GOAL_P50_MILLIS, met ? "" : "  MISSED");
        }
    }
}
