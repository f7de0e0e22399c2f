package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.conversation.ConversationFiles;
import io.recallgate.gateway.cli.conversation.ConversationSource;
import io.recallgate.gateway.cli.conversation.SourceItem;
import io.recallgate.gateway.cli.importing.EmbeddingWatch;
import io.recallgate.gateway.cli.importing.ImportReport;
import io.recallgate.gateway.cli.importing.Importer;
import io.recallgate.gateway.cli.importing.JobCounts;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
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
            "Damaged lines are listed and the rest is kept; the exit status is then 1. Memories with an",
            "external_id are stored once, however often the file is imported.",
            "",
            "Examples:",
            "  ./recallgate import notes.ndjson --session standup",
            "  ./recallgate import conversation.json --project measured --wait",
            "  grep beta notes.ndjson | ./recallgate import -"
        })
final class ImportCommand implements Callable<Integer> {

    /** A gateway under load may answer 429 for a while; after this long somebody should look at it. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

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
        try (ConversationSource source = ConversationFiles.open(file, context.in())) {
            jobsBefore = JobCounts.of(client);
            countedNanos = context.clock().nanoTime();
            try (Progress progress = new Progress(screen, context.clock(), "importing")) {
                report = new Importer(client, session, importer -> show(importer, source, client, progress))
                        .run(source, context.clock()::nanoTime);
            }
        } catch (IOException e) {
            throw new CommandFailedException("cannot close " + file + ": " + e.getMessage(), e);
        }
        JobCounts jobs = JobCounts.of(client);
        if (wait) {
            try (Progress progress = new Progress(screen, context.clock(), "embedding")) {
                jobs = new EmbeddingWatch(client, context.clock(), context.pauses())
                        .await(EMBED_BOUND, EMBED_STALL, progress);
            }
        }
        print(report, jobs);
        boolean whole = report.rejectedCount() == 0 && (!wait || (jobs.remaining() == 0 && jobs.failed() == 0));
        return whole ? 0 : 1;
    }

    private void show(Importer importer, ConversationSource source, GatewayClient client, Progress progress) {
        long now = context.clock().nanoTime();
        if (context.screen().errIsTerminal() && now - countedNanos >= COUNT_JOBS_EVERY_NANOS) {
            countedNanos = now;
            jobsNow = JobCounts.of(client);
        }
        double seconds = progress.elapsedNanos() / (double) TimeUnit.SECONDS.toNanos(1);
        String detail = String.format(
                Locale.ROOT,
                "%,d memories  %,.0f/s%s",
                importer.accepted(),
                importer.accepted() / Math.max(0.001, seconds),
                embedding());
        if (source.sizeBytes() > 0) {
            progress.show(source.positionBytes(), source.sizeBytes(), detail);
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

    private void print(ImportReport report, JobCounts jobs) {
        Screen screen = context.screen();
        if (!screen.outIsTerminal()) {
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
                        "%,d memories in %.1f s: %,d stored, %,d updated, %,d unchanged, %,d rejected%n",
                        report.accepted(),
                        report.seconds(),
                        report.stored(),
                        report.updated(),
                        report.unchanged(),
                        report.rejectedCount());
        for (SourceItem.Damaged damaged : report.rejected()) {
            screen.out().println("  line " + damaged.place() + ": " + damaged.detail());
        }
        if (report.rejectedCount() > report.rejected().size()) {
            screen.out()
                    .println("  … and "
                            + (report.rejectedCount() - report.rejected().size()) + " more");
        }
        if (jobs.remaining() > 0) {
            screen.out()
                    .printf(
                            Locale.ROOT,
                            "embedding goes on in the background: %,d to go; they are found by words already%n",
                            jobs.remaining());
        }
    }
}
