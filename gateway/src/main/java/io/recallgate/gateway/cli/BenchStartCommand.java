package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.bench.ScratchRun;
import io.recallgate.gateway.cli.bench.StartBench;
import io.recallgate.gateway.cli.console.Table;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench start}. */
@Command(
        name = "start",
        description = "Starts a gateway of its own on an empty data directory, and once more on the data it left: time"
                + " until it listens, is ready and has stopped, and resident memory of its JVM after the demo's work"
                + " and after many recalls.",
        footer = {
            "",
            "Resident memory is read from /proc, so it is told on Linux only. PostgreSQL's is not in it.",
            "",
            "Examples:",
            "  ./recallgate bench start",
            "  ./recallgate bench start --recalls 10000 --json"
        })
final class BenchStartCommand implements Callable<Integer> {

    private final CliContext context;

    @Option(
            names = "--recalls",
            paramLabel = "N",
            defaultValue = "0",
            description = "Recalls between the two looks at the memory, 0 to 1000000; 0.")
    @Range(min = 0, max = 1_000_000)
    private int recalls;

    @Option(names = "--json", description = "Print figures as one JSON object, for scripts.")
    private boolean json;

    BenchStartCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        // A signal must not leave the gateway that is measured, its PostgreSQL or their directory behind.
        return ScratchRun.run("recallgate-bench-data", this::measure);
    }

    private int measure(Path data) {
        StartBench.Result result =
                new StartBench(context.screen(), context.clock(), context.pauses()).run(data, recalls);
        if (json) {
            context.screen()
                    .out()
                    .println(new JsonObject()
                            .put("first_start_ms", startJson(result.first()))
                            .put("next_start_ms", startJson(result.next()))
                            .put("resident_after_demo_bytes", result.residentAfterDemoBytes())
                            .put("resident_after_recalls_bytes", result.residentAfterRecallsBytes())
                            .put("recalls", result.recalls())
                            .encode());
        } else {
            print(result);
        }
        return 0;
    }

    private void print(StartBench.Result result) {
        Table table = Table.of(
                Table.left("start"), Table.right("listening ms"), Table.right("ready ms"), Table.right("stopped ms"));
        addRow(table, "first (empty data)", result.first());
        addRow(table, "next", result.next());
        table.print(context.screen());
        Long demo = result.residentAfterDemoBytes();
        Long after = result.residentAfterRecallsBytes();
        if (demo == null || after == null) {
            context.screen().out().println("resident memory: not told on this system");
            return;
        }
        context.screen().out().printf(Locale.ROOT, "JVM resident after the demo's work: %,d MiB%n", demo >> 20);
        if (result.recalls() > 0) {
            context.screen()
                    .out()
                    .printf(
                            Locale.ROOT,
                            "JVM resident after %,d recalls: %,d MiB (%+.1f %%)%n",
                            result.recalls(),
                            after >> 20,
                            (after - demo) * 100.0 / demo);
        }
    }

    private static void addRow(Table table, String name, StartBench.Start start) {
        table.row(
                name,
                String.format(Locale.ROOT, "%,.0f", start.listeningMillis()),
                String.format(Locale.ROOT, "%,.0f", start.readyMillis()),
                String.format(Locale.ROOT, "%,.0f", start.stopMillis()));
    }

    private static JsonObject startJson(StartBench.Start start) {
        return new JsonObject()
                .put("listening", Math.round(start.listeningMillis()))
                .put("ready", Math.round(start.readyMillis()))
                .put("stopped", Math.round(start.stopMillis()));
    }
}
