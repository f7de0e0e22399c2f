package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.conversation.ConversationFiles;
import io.recallgate.gateway.cli.conversation.ConversationSource;
import io.recallgate.gateway.cli.importing.EmbeddingWatch;
import io.recallgate.gateway.cli.importing.Importer;
import io.recallgate.time.Clock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Starts a gateway twice, first on an empty data directory and then on the one it left: when it listens, when it is
 * ready, how long it takes to stop, and what its JVM holds after the demo's work and after many recalls. Used by one
 * thread.
 */
public final class StartBench {

    private static final Duration EMBED_BOUND = Duration.ofMinutes(10);
    private static final Duration EMBED_STALL = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** As many as the demo asks. */
    private static final int DEMO_QUESTIONS = 3;

    private final Screen screen;
    private final Clock clock;
    private final Pauses pauses;

    /** @param screen for progress */
    public StartBench(Screen screen, Clock clock, Pauses pauses) {
        this.screen = screen;
        this.clock = clock;
        this.pauses = pauses;
    }

    /**
     * One start.
     *
     * @param listeningMillis until it answers at all
     * @param readyMillis until it is ready
     * @param stopMillis from SIGTERM to its exit
     */
    public record Start(double listeningMillis, double readyMillis, double stopMillis) {}

    /**
     * Both starts.
     *
     * @param first with an empty data directory
     * @param next with the data of the first
     * @param residentAfterDemoBytes of the JVM, null where there is no /proc
     * @param residentAfterRecallsBytes of the JVM, null where there is no /proc
     * @param recalls how many lie between the two
     */
    public record Result(
            Start first,
            Start next,
            @Nullable Long residentAfterDemoBytes,
            @Nullable Long residentAfterRecallsBytes,
            int recalls) {}

    /**
     * Measures.
     *
     * @param dataDirectory empty; left as it is afterwards
     * @param recalls how many recalls between the two looks at the memory
     * @throws CommandFailedException if the gateway does not come up or a request fails
     */
    public Result run(Path dataDirectory, int recalls) {
        Measured first = once(dataDirectory, 0);
        Measured next = once(dataDirectory, recalls);
        return new Result(first.start(), next.start(), next.residentBefore(), next.residentAfter(), recalls);
    }

    private record Measured(
            Start start,
            @Nullable Long residentBefore,
            @Nullable Long residentAfter) {}

    private Measured once(Path dataDirectory, int recalls) {
        int port = ChildGateway.freePort();
        GatewayClient client =
                new GatewayClient(GatewayAddress.of("http://127.0.0.1:" + port, null, null), clock, pauses, PATIENCE);
        try (ChildGateway gateway = ChildGateway.start(client, clock, pauses, port, dataDirectory);
                Progress progress = new Progress(screen, clock, "measuring a start")) {
            progress.show("listening");
            double listening = gateway.awaitMillis("/health/live");
            progress.show("getting ready");
            double ready = gateway.awaitMillis("/health/ready");
            workLikeTheDemo(client, progress);
            OptionalLong before = gateway.residentBytes();
            SyntheticMemories questions = new SyntheticMemories(7, 0);
            for (int i = 0; i < recalls; i++) {
                recall(client, questions.question());
                progress.show(i + 1, recalls, "recalls");
            }
            OptionalLong after = gateway.residentBytes();
            double stop = gateway.stopMillis();
            return new Measured(
                    new Start(listening, ready, stop),
                    before.isPresent() ? before.getAsLong() : null,
                    after.isPresent() ? after.getAsLong() : null);
        }
    }

    private void workLikeTheDemo(GatewayClient client, Progress progress) {
        try (ConversationSource sample = ConversationFiles.sample()) {
            new Importer(client, null, importer -> progress.show(importer.accepted() + " memories"))
                    .run(sample, clock::nanoTime);
        } catch (IOException e) {
            throw new CommandFailedException("cannot read the sample conversation: " + e.getMessage(), e);
        }
        new EmbeddingWatch(client, clock, pauses).await(EMBED_BOUND, EMBED_STALL, progress);
        SyntheticMemories questions = new SyntheticMemories(3, 0);
        for (int i = 0; i < DEMO_QUESTIONS; i++) {
            recall(client, questions.question());
        }
    }

    private static void recall(GatewayClient client, String question) {
        client.post("/v1/recall", new JsonObject().put("query", question)).jsonOrFail();
    }
}
