package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.bench.MetricsBench;
import io.recallgate.gateway.cli.bench.ScratchRun;
import io.recallgate.gateway.cli.measure.Spans;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench metrics}. */
@Command(
        name = "metrics",
        description =
                "Reads /metrics of a gateway of its own while callers of 200 owners use it with sessions, projects,"
                        + " models and paths that are new each time: how long a look takes, under load and after it, and how many"
                        + " series there are over time.",
        footer = {
            "",
            "The load takes the machine's cores as well: a look is timed as a client beside it sees it.",
            "",
            "Examples:",
            "  ./recallgate bench metrics",
            "  ./recallgate bench metrics --seconds 600 --json"
        })
final class BenchMetricsCommand implements Callable<Integer> {

    private final CliContext context;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "How long the load goes on, 1 to 86400; 60.")
    @Range(min = 1, max = 86_400)
    private int seconds;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "1",
            description = "Clients that call at the same time, 1 to 64; 1.")
    @Range(min = 1, max = 64)
    private int clients;

    @Option(names = "--json", description = "Print figures as one JSON object, for scripts.")
    private boolean json;

    BenchMetricsCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        // A signal must not leave the gateway that is measured, its PostgreSQL or their directory behind.
        return ScratchRun.run("recallgate-bench-metrics", this::measure);
    }

    private int measure(Path directory) {
        MetricsBench.Result result =
                new MetricsBench(context.screen(), context.clock(), context.pauses()).run(directory, seconds, clients);
        Spans looks = result.looks();
        Spans quiet = result.quietLooks();
        if (json) {
            context.screen()
                    .out()
                    .println(new JsonObject()
                            .put("seconds", seconds)
                            .put("clients", clients)
                            .put("requests", result.requests())
                            .put("look_under_load_ms", looks.toJson())
                            .put("look_ms", quiet.toJson())
                            .put("series_first", result.seriesFirst())
                            .put("series_warm", result.seriesWarm())
                            .put("series_in_tenths", new JsonArray(result.seriesInParts()))
                            .put("series_last", result.seriesLast())
                            .put("page_bytes", result.bytesLast())
                            .encode());
            return 0;
        }
        context.screen()
                .out()
                .printf(
                        Locale.ROOT,
                        "/metrics under load: n %d, p50 %.1f ms, p95 %.1f ms, p99 %.1f ms%n"
                                + "/metrics after it: n %d, p50 %.1f ms, p95 %.1f ms, p99 %.1f ms%n"
                                + "series: %,d when ready, %,d after the first callers, %s at the end of each tenth of the"
                                + " load, %,d after %,d requests in %d s; %,d bytes%n",
                        looks.size(),
                        looks.percentileMillis(50),
                        looks.percentileMillis(95),
                        looks.percentileMillis(99),
                        quiet.size(),
                        quiet.percentileMillis(50),
                        quiet.percentileMillis(95),
                        quiet.percentileMillis(99),
                        result.seriesFirst(),
                        result.seriesWarm(),
                        result.seriesInParts().stream()
                                .map(count -> String.format(Locale.ROOT, "%,d", count))
                                .collect(Collectors.joining(" ")),
                        result.seriesLast(),
                        result.requests(),
                        seconds,
                        result.bytesLast());
        return 0;
    }
}
