package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.bench.StallingProvider;
import io.recallgate.gateway.cli.bench.SyntheticMemories;
import io.recallgate.gateway.cli.bench.sessions.SessionsBench.Plan;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.importing.EmbeddingWatch;
import io.recallgate.gateway.cli.importing.Importer;
import io.recallgate.gateway.cli.importing.Watched;
import io.recallgate.gateway.postgres.EmbeddedPostgres;
import io.recallgate.gateway.postgres.PostgresEndpoint;
import io.recallgate.gateway.postgres.PostgresOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * What all scenarios share: a provider, a database that outlives gateways, a way to it that can be slow, and an embedding
 * server that can be in trouble. Used by one thread.
 */
final class ScenarioParts implements AutoCloseable {

    private static final Duration EMBED_BOUND = Duration.ofMinutes(30);
    private static final Duration EMBED_STALL = Duration.ofMinutes(1);
    private static final int SLOW_LEAST_MILLIS = 100;
    private static final int SLOW_MOST_MILLIS = 2_000;

    private final BenchContext context;
    private final Plan plan;
    private final Path directory;
    private final StubProcess provider;
    private final EmbeddedPostgres postgres;
    private final SlowLink link;
    private final StallingProvider embeddings;
    private int backlogs;

    private ScenarioParts(BenchContext context, Plan plan, Path directory, EmbeddedPostgres postgres) {
        this.context = context;
        this.plan = plan;
        this.directory = directory;
        this.postgres = postgres;
        this.provider = StubProcess.start();
        this.link = new SlowLink(postgres.endpoint().host(), postgres.endpoint().port());
        this.embeddings = StallingProvider.start(plan.seed());
    }

    /** @param directory empty */
    static ScenarioParts start(BenchContext context, Plan plan, Path directory) {
        try (Progress progress = new Progress(context.screen(), context.clock(), "starting a database")) {
            progress.show("");
            Path data = Files.createDirectory(directory.resolve("database"));
            Files.createDirectory(directory.resolve("gateway"));
            return new ScenarioParts(
                    context, plan, directory, EmbeddedPostgres.start(PostgresOptions.of(data), context.clock()));
        } catch (IOException e) {
            throw new CommandFailedException("cannot make a data directory to measure with: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while starting", e);
        }
    }

    StubProcess provider() {
        return provider;
    }

    /** Starts a gateway on the database as it is. */
    SessionGateway start(Scenario scenario) {
        PostgresEndpoint at = postgres.endpoint();
        Map<String, String> settings = new HashMap<>(provider.settings());
        settings.put(
                "RECALLGATE_DATABASE_URL",
                "postgresql://" + at.user() + ":" + at.password() + "@127.0.0.1:" + link.port() + "/" + at.database());
        StringBuilder windows = new StringBuilder();
        for (ClientProtocol protocol : ClientProtocol.values()) {
            windows.append(windows.isEmpty() ? "" : ",")
                    .append(protocol.model())
                    .append('=')
                    .append(plan.windowTokens());
        }
        settings.put("RECALLGATE_CONTEXT_WINDOWS", windows.toString());
        if (scenario.usesScriptedEmbeddings()) {
            settings.putAll(embeddings.settings());
        } else {
            settings.put("RECALLGATE_EMBEDDING_PROVIDER", plan.embeddings());
        }
        try (Progress progress = new Progress(context.screen(), context.clock(), scenario.label() + ", starting")) {
            progress.show("a gateway");
            return SessionGateway.start(
                    context, directory.resolve("gateway"), settings, scenario == Scenario.READ_WORKERS_HUNG);
        }
    }

    /** The knowledge base; what is there already stays. */
    void fill(SessionGateway gateway, Scenario scenario) {
        write(gateway.patient(), scenario.label() + ", filling", plan.memories(), plan.seed());
        settle(gateway, scenario);
    }

    private void write(GatewayClient client, String name, int count, long seed) {
        try (SyntheticMemories memories = new SyntheticMemories(seed, count);
                Progress progress = new Progress(context.screen(), context.clock(), name)) {
            new Importer(client, null, importer -> progress.show(importer.accepted(), count, "memories"))
                    .run(memories, context.clock()::nanoTime);
        }
    }

    /** Waits until all is embedded. */
    void settle(SessionGateway gateway, Scenario scenario) {
        if (!scenario.usesScriptedEmbeddings() && plan.embeddings().equals("none")) {
            return;
        }
        try (Progress progress = new Progress(context.screen(), context.clock(), scenario.label() + ", embedding")) {
            Watched watched = new EmbeddingWatch(gateway.patient(), context.clock(), context.pauses())
                    .await(EMBED_BOUND, EMBED_STALL, progress);
            if (!watched.complete()) {
                throw new CommandFailedException("nothing was measured: " + watched.explain());
            }
        }
    }

    /** A backlog in another project, whose memories no turn is given. */
    Trouble backlog(SessionGateway gateway) {
        backlogs++;
        write(gateway.patient().withProject("backlog"), "writing a backlog", plan.backlog(), plan.seed() + backlogs);
        return Trouble.NONE;
    }

    Trouble slowDatabase(long millis) {
        link.delay(millis);
        return () -> link.delay(0);
    }

    Trouble embeddingTrouble(Scenario scenario) {
        switch (scenario) {
            case EMBEDDINGS_DOWN -> embeddings.refuse(true);
            case EMBEDDINGS_HUNG -> embeddings.hang(true);
            default -> embeddings.delay(SLOW_LEAST_MILLIS, SLOW_MOST_MILLIS);
        }
        return () -> {
            embeddings.refuse(false);
            embeddings.hang(false);
            embeddings.delay(0, 0);
        };
    }

    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        provider.close();
        link.close();
        embeddings.close();
        try {
            postgres.stop();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
