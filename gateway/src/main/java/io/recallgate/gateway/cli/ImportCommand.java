package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.Counted;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.conversation.SourceItem;
import io.recallgate.gateway.cli.importing.EmbeddingWatch;
import io.recallgate.gateway.cli.importing.ImportFile;
import io.recallgate.gateway.cli.importing.ImportReport;
import io.recallgate.gateway.cli.importing.JobCounts;
import io.recallgate.gateway.cli.importing.StreamedImport;
import io.recallgate.gateway.cli.importing.Watched;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code import FILE}. */
@Command(
        name = "import",
        description = "Streams memories from a file into a running gateway.",
        footer = {
            "",
            "A file is either newline-delimited JSON, one memory a line:",
            "  {\"content\":\"The beta moves to 11 April\",\"session\":\"standup\",\"author\":\"Mika\",\"external_id\":\"s1/1\"}",
            "or a LoCoMo-style conversation (*.json with session_1, session_1_date_time, …).",
            "",
            "Damaged lines are listed and the rest is kept; the exit status is then 1. An import that was",
            "interrupted is run again: a memory is stored once, by its external_id, or by the file's",
            "digest and its line. Of standard input only memories with an external_id are.",
            "",
            "The summary is one JSON object with --json, and when standard output is not a terminal.",
            "",
            "Examples:",
            "  ./recallgate import notes.ndjson --session standup",
            "  ./recallgate import conversation.json --project measured --wait",
            "  grep beta notes.ndjson | ./recallgate import -"
        })
final class ImportCommand implements Callable<Integer> {

    /** A gateway under load may answer 429 for a while; after this long somebody should look at it. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** More would scroll the summary away; the JSON object has more. */
    private static final int MAX_PRINTED = 20;

    private static final Duration EMBED_BOUND = Duration.ofHours(6);
    private static final Duration EMBED_STALL = Duration.ofMinutes(2);
    private static final long COUNT_JOBS_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final CliContext context;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    @Parameters(index = "0", paramLabel = "FILE", description = "The file; - reads NDJSON from standard input.")
    private String file = "";

    @Option(names = "--session", paramLabel = "S", description = "The session of memories that name none.")
    private @Nullable String session;

    @Option(names = "--wait", description = "Wait until everything is embedded, too.")
    private boolean wait;

    @Option(names = "--json", description = "Print the summary as one JSON object, for scripts.")
    private boolean json;

    private long countedNanos;
    private @Nullable JobCounts jobsBefore;
    private @Nullable JobCounts jobsNow;

    ImportCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        GatewayClient client = connection.client(context, PATIENCE);
        Screen screen = context.screen();
        ImportReport report;
        ImportFile source = new ImportFile(file, context.in());
        jobsBefore = JobCounts.of(client);
        countedNanos = context.clock().nanoTime();
        try (Progress progress = new Progress(screen, context.clock(), "importing")) {
            report = new StreamedImport(
                            client.address(),
                            session,
                            context.clock(),
                            context.pauses(),
                            (accepted, position, size) -> show(accepted, position, size, client, progress))
                    .run(source, PATIENCE);
        }
        if (!wait) {
            print(report, JobCounts.of(client), client);
            return report.rejectedCount() == 0 ? 0 : 1;
        }
        Watched watched;
        try (Progress progress = new Progress(screen, context.clock(), "embedding")) {
            watched = new EmbeddingWatch(client, context.clock(), context.pauses())
                    .await(EMBED_BOUND, EMBED_STALL, progress);
        }
        print(report, watched.jobs(), client);
        if (!watched.complete()) {
            screen.err().println("recallgate: stored, but " + watched.explain());
        }
        return report.rejectedCount() == 0 && watched.complete() ? 0 : 1;
    }

    private void show(long accepted, long position, long size, GatewayClient client, Progress progress) {
        long now = context.clock().nanoTime();
        if (context.screen().errIsTerminal() && now - countedNanos >= COUNT_JOBS_EVERY_NANOS) {
            countedNanos = now;
            jobsNow = JobCounts.of(client);
        }
        double seconds = progress.elapsedNanos() / (double) TimeUnit.SECONDS.toNanos(1);
        String detail = String.format(
                Locale.ROOT,
                "%s  %,.0f/s%s",
                Counted.memories(accepted),
                accepted / Math.max(0.001, seconds),
                embedding());
        if (size > 0) {
            progress.show(position, size, detail);
        } else {
            progress.show(detail);
        }
    }

    private String embedding() {
        if (jobsNow == null || jobsBefore == null) {
            return "";
        }
        long embedded = Math.max(0, jobsNow.done() - jobsBefore.done());
        return String.format(Locale.ROOT, "  %,d embedded  %,d to embed", embedded, jobsNow.remaining());
    }

    private void print(ImportReport report, JobCounts jobs, GatewayClient client) {
        Screen screen = context.screen();
        if (json || !screen.outIsTerminal()) {
            JsonObject line = report.toJson()
                    .put(
                            "embedding",
                            new JsonObject().put("remaining", jobs.remaining()).put("failed", jobs.failed()));
            screen.out().println(line.encode());
            return;
        }
        screen.out()
                .printf(
                        Locale.ROOT,
                        "%s in %.1f s: %,d stored, %,d updated, %,d unchanged, %,d rejected%n",
                        Counted.memories(report.accepted()),
                        report.seconds(),
                        report.stored(),
                        report.updated(),
                        report.unchanged(),
                        report.rejectedCount());
        List<SourceItem.Damaged> printed =
                report.rejected().stream().limit(MAX_PRINTED).toList();
        for (SourceItem.Damaged damaged : printed) {
            String place = damaged.line().isPresent() ? "line " + damaged.place() : damaged.place();
            screen.out().println("  " + place + ": " + damaged.detail());
        }
        if (report.rejectedCount() > printed.size()) {
            screen.out().println("  and " + (report.rejectedCount() - printed.size()) + " more");
        }
        if (jobs.remaining() > 0 && !wait) {
            if (EmbeddingWatch.hasNoProvider(client)) {
                screen.out().println("this gateway has no embedding provider: memories are found by words only");
                return;
            }
            screen.out()
                    .printf(
                            Locale.ROOT,
                            "embedding goes on in the background: %,d to go; they are found by words already%n",
                            jobs.remaining());
        }
    }
}
