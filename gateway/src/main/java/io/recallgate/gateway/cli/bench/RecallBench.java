package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.importing.EmbeddingWatch;
import io.recallgate.gateway.cli.importing.Importer;
import io.recallgate.gateway.cli.importing.Watched;
import io.recallgate.gateway.cli.measure.LoopLag;
import io.recallgate.gateway.cli.measure.PrometheusText;
import io.recallgate.gateway.cli.measure.Spans;
import io.recallgate.time.Clock;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Recall over HTTP, one request after another: hybrid and lexical take turns within one run, so that whatever else the
 * machine does hits both alike. Every question is asked once in each mode and never again. Used by one thread.
 */
public final class RecallBench {

    private static final Duration EMBED_BOUND = Duration.ofHours(2);
    private static final Duration EMBED_STALL = Duration.ofMinutes(1);

    private final GatewayClient gateway;
    private final Screen screen;
    private final Clock clock;
    private final Pauses pauses;

    /** @param gateway its own project is not touched */
    public RecallBench(GatewayClient gateway, Screen screen, Clock clock, Pauses pauses) {
        this.gateway = gateway;
        this.screen = screen;
        this.clock = clock;
        this.pauses = pauses;
    }

    /**
     * What to do.
     *
     * @param memories how many there are
     * @param warmRounds unmeasured rounds before
     * @param rounds measured rounds, one hybrid and one lexical recall each
     * @param seed of texts and questions
     */
    public record Plan(int memories, int warmRounds, int rounds, long seed) {}

    /**
     * What was measured.
     *
     * @param hybrid spans of whole requests
     * @param lexical spans of whole requests
     * @param hybridServer spans as the gateway timed them
     * @param lexicalServer spans as the gateway timed them
     * @param degraded hybrid answers that were served as less
     * @param loopLagP99Millis bound of the event-loop lag's p99 meanwhile, null when the gateway does not tell
     */
    public record Result(
            Spans hybrid,
            Spans lexical,
            Spans hybridServer,
            Spans lexicalServer,
            int degraded,
            @Nullable Double loopLagP99Millis) {}

    /**
     * Seeds, warms, measures.
     *
     * @throws CommandFailedException if the memories cannot be stored and embedded, or a recall fails
     */
    public Result run(Plan plan) {
        GatewayClient client = gateway.withProject("bench-" + plan.memories() + "-" + plan.seed());
        seed(plan, client);
        // Another seed than the texts have: the same would pair questions with the texts made from the same draws.
        SyntheticMemories questions = new SyntheticMemories(plan.seed() + 1, 0);
        Result result = new Result(new Spans(), new Spans(), new Spans(), new Spans(), 0, null);
        try (Progress progress = new Progress(screen, clock, "warming")) {
            for (int i = 0; i < plan.warmRounds(); i++) {
                round(client, questions.question(), null);
                progress.show(i + 1, plan.warmRounds(), "rounds");
            }
        }
        PrometheusText before = metrics(client);
        int degraded = 0;
        try (Progress progress = new Progress(screen, clock, "measuring")) {
            for (int i = 0; i < plan.rounds(); i++) {
                degraded += round(client, questions.question(), result) ? 1 : 0;
                progress.show(i + 1, plan.rounds(), "rounds");
            }
        }
        OptionalDouble lag = LoopLag.percentileMillis(before, metrics(client), 99);
        return new Result(
                result.hybrid(),
                result.lexical(),
                result.hybridServer(),
                result.lexicalServer(),
                degraded,
                lag.isPresent() ? lag.getAsDouble() : null);
    }

    private void seed(Plan plan, GatewayClient client) {
        try (SyntheticMemories memories = new SyntheticMemories(plan.seed(), plan.memories());
                Progress progress = new Progress(screen, clock, "seeding")) {
            new Importer(client, null, importer -> progress.show(importer.accepted(), plan.memories(), "memories"))
                    .run(memories, clock::nanoTime);
        }
        try (Progress progress = new Progress(screen, clock, "embedding")) {
            Watched watched = new EmbeddingWatch(client, clock, pauses).await(EMBED_BOUND, EMBED_STALL, progress);
            if (!watched.complete()) {
                throw new CommandFailedException("nothing was measured: " + watched.explain());
            }
        }
    }

    /** Whether the hybrid answer was degraded. */
    private static boolean round(GatewayClient client, String question, @Nullable Result result) {
        Answer hybrid = recall(client, question, "hybrid");
        Answer lexical = recall(client, question, "lexical");
        JsonObject envelope = hybrid.jsonOrFail();
        if (result != null) {
            result.hybrid().add(hybrid.nanos());
            result.lexical().add(lexical.nanos());
            addServer(result.hybridServer(), envelope);
            addServer(result.lexicalServer(), lexical.jsonOrFail());
        }
        return envelope.getValue("degraded") != null;
    }

    private static void addServer(Spans spans, JsonObject envelope) {
        if (envelope.getValue("timing_ms") instanceof JsonObject timing
                && timing.getValue("total") instanceof Number millis) {
            spans.add(Math.round(millis.doubleValue() * 1_000_000));
        }
    }

    private static Answer recall(GatewayClient client, String question, String mode) {
        Answer answer = client.post(
                "/v1/recall",
                new JsonObject()
                        .put("query", question)
                        .put("mode", mode)
                        .put("limit", 10)
                        .put("memo", false));
        answer.jsonOrFail();
        return answer;
    }

    private static PrometheusText metrics(GatewayClient client) {
        Answer answer = client.get("/metrics");
        return PrometheusText.parse(answer.isSuccess() ? answer.text() : "");
    }
}
