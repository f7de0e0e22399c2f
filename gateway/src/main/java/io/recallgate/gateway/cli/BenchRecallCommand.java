package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.bench.RecallBench;
import io.recallgate.gateway.cli.console.Table;
import io.recallgate.gateway.cli.measure.Spans;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench recall}. */
@Command(
        name = "recall",
        description = "Recall over HTTP on a running gateway: fills the project bench-N-SEED with made-up memories,"
                + " waits until they are embedded, warms up, then asks hybrid and lexical in turns.",
        footer = {
            "",
            "'request' is the whole HTTP request as this client sees it, 'gateway' what the gateway says it took.",
            "",
            "Examples:",
            "  ./recallgate bench recall",
            "  ./recallgate bench recall --memories 20000 --rounds 500 --json",
            "  ./recallgate bench recall --memories 100000 --clients 8 --made-up-vectors postgresql://me@host/bench"
        })
final class BenchRecallCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final CliContext context;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    @Option(
            names = "--memories",
            paramLabel = "N",
            defaultValue = "5000",
            description = "How many memories the owner has, 1 to 1000000; 5000.")
    @Range(min = 1, max = 1_000_000)
    private int memories;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Measured rounds, one recall in each mode, 1 to 1000000; 1000.")
    @Range(min = 1, max = 1_000_000)
    private int rounds;

    @Option(
            names = "--warm",
            paramLabel = "N",
            defaultValue = "300",
            description = "Rounds before measuring, 0 to 1000000; 300.")
    @Range(min = 0, max = 1_000_000)
    private int warm;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "1",
            description = "Clients that ask at the same time, 1 to 64; 1.")
    @Range(min = 1, max = 64)
    private int clients;

    @Option(
            names = "--made-up-vectors",
            paramLabel = "URL",
            description =
                    "The gateway's database, as postgresql://user:password@host:5432/database: the memories get made-up"
                            + " vectors there, in clusters, instead of minutes of the model. Questions are embedded by the gateway."
                            + " Only for a database without other memories.")
    @Nullable
    private String madeUpVectors;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Same seed, same texts; 1.")
    @Range(min = 0, max = Integer.MAX_VALUE)
    private long seed;

    @Option(names = "--json", description = "Print figures as one JSON object, for scripts.")
    private boolean json;

    BenchRecallCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        RecallBench bench = new RecallBench(
                connection.client(context, PATIENCE), context.screen(), context.clock(), context.pauses());
        RecallBench.Result result =
                bench.run(new RecallBench.Plan(memories, warm, rounds, clients, seed, madeUpVectors));
        if (json) {
            context.screen()
                    .out()
                    .println(new JsonObject()
                            .put("memories", memories)
                            .put("rounds", rounds)
                            .put("clients", clients)
                            .put("made_up_vectors", madeUpVectors != null)
                            .put("hybrid_ms", result.hybrid().toJson())
                            .put("lexical_ms", result.lexical().toJson())
                            .put("hybrid_gateway_ms", result.hybridServer().toJson())
                            .put("lexical_gateway_ms", result.lexicalServer().toJson())
                            .put("degraded", result.degraded())
                            .put("event_loop_lag_p99_ms", result.loopLagP99Millis())
                            .encode());
        } else {
            print(result);
        }
        return 0;
    }

    private void print(RecallBench.Result result) {
        Table table = Table.of(
                Table.left("mode"),
                Table.left("timed by"),
                Table.right("n"),
                Table.right("p50 ms"),
                Table.right("p95 ms"),
                Table.right("p99 ms"));
        addRow(table, "hybrid", "request", result.hybrid());
        addRow(table, "hybrid", "gateway", result.hybridServer());
        addRow(table, "lexical", "request", result.lexical());
        addRow(table, "lexical", "gateway", result.lexicalServer());
        table.print(context.screen());
        context.screen()
                .out()
                .printf(
                        Locale.ROOT,
                        "%,d memories%s, %d client%s, %d of %d hybrid answers degraded, event-loop lag p99 %s%n",
                        memories,
                        madeUpVectors == null ? "" : " with made-up vectors",
                        clients,
                        clients == 1 ? "" : "s",
                        result.degraded(),
                        rounds,
                        result.loopLagP99Millis() == null
                                ? "not told"
                                : String.format(Locale.ROOT, "at most %.1f ms", result.loopLagP99Millis()));
    }

    private static void addRow(Table table, String mode, String timedBy, Spans spans) {
        table.row(
                mode,
                timedBy,
                Integer.toString(spans.size()),
                String.format(Locale.ROOT, "%.2f", spans.percentileMillis(50)),
                String.format(Locale.ROOT, "%.2f", spans.percentileMillis(95)),
                String.format(Locale.ROOT, "%.2f", spans.percentileMillis(99)));
    }
}
