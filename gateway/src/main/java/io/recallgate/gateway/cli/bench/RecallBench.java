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
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Recall over HTTP, one request after another from each client: hybrid and lexical take turns within one run, so that
 * whatever else the machine does hits both alike. Every question is asked once in each mode and no vector is remembered.
 * Used by one thread.
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
     * @param clients that ask at the same time
     * @param seed of texts and questions
     * @param madeUpVectors the gateway's database, where this embeds the memories with made-up vectors; null leaves that
     *     to the gateway
     */
    public record Plan(
            int memories,
            int warmRounds,
            int rounds,
            int clients,
            long seed,
            @Nullable String madeUpVectors) {}

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
        CallLoad load = new CallLoad(client, clock, pauses);
        try (Progress progress = new Progress(screen, clock, "warming")) {
            load.run(turns(questions, plan.warmRounds()), plan.clients(), progress);
        }
        PrometheusText before = metrics(client);
        CallLoad.Outcomes outcomes;
        try (Progress progress = new Progress(screen, clock, "measuring")) {
            outcomes = load.run(turns(questions, plan.rounds()), plan.clients(), progress);
        }
        OptionalDouble lag = LoopLag.percentileMillis(before, metrics(client), 99);
        return new Result(
                outcomes.spans(RecallBench::isHybrid),
                outcomes.spans(call -> !isHybrid(call)),
                outcomes.serverSpans(RecallBench::isHybrid),
                outcomes.serverSpans(call -> !isHybrid(call)),
                outcomes.reasons().values().stream().mapToInt(Integer::intValue).sum(),
                lag.isPresent() ? lag.getAsDouble() : null);
    }

    private static boolean isHybrid(CallLoad.Call call) {
        return call.mode().equals("hybrid");
    }

    private static List<CallLoad.Call> turns(SyntheticMemories questions, int rounds) {
        List<CallLoad.Call> calls = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            String question = questions.question();
            calls.add(new CallLoad.Call("hybrid", question, null, false, 0));
            calls.add(new CallLoad.Call("lexical", question, null, false, 0));
        }
        return calls;
    }

    private void seed(Plan plan, GatewayClient client) {
        if (plan.madeUpVectors() == null) {
            fill(plan, client, null);
            return;
        }
        JsonObject workers = client.get("/v1/workers").jsonOrFail();
        try (MadeUpVectors vectors = MadeUpVectors.begin(plan.madeUpVectors(), workers, clock, pauses)) {
            fill(plan, client, vectors);
            try (Progress progress = new Progress(screen, clock, "settling")) {
                // The first search of a large owner has its index built.
                new CallLoad(client, clock, pauses)
                        .run(turns(new SyntheticMemories(plan.seed() + 2, 0), 1), 1, progress);
                vectors.settle(progress);
            }
        }
    }

    private void fill(Plan plan, GatewayClient client, @Nullable MadeUpVectors vectors) {
        if (!isThere(plan, client)) {
            write(plan, client, vectors);
        }
        try (Progress progress = new Progress(screen, clock, "embedding")) {
            Watched watched = new EmbeddingWatch(client, clock, pauses).await(EMBED_BOUND, EMBED_STALL, progress);
            if (!watched.complete()) {
                throw new CommandFailedException("nothing was measured: " + watched.explain());
            }
        }
    }

    /** They are written in order, so with the last one all are there from an earlier run. */
    private static boolean isThere(Plan plan, GatewayClient client) {
        int last = plan.memories() - 1;
        Answer answer = client.get("/v1/memories?limit=1&session="
                + URLEncoder.encode(SyntheticMemories.session(last), StandardCharsets.UTF_8));
        return answer.isSuccess()
                && answer.json().getValue("memories") instanceof JsonArray memories
                && !memories.isEmpty()
                && SyntheticMemories.externalId(last)
                        .equals(memories.getJsonObject(0).getString("external_id"));
    }

    private void write(Plan plan, GatewayClient client, @Nullable MadeUpVectors vectors) {
        try (SyntheticMemories memories = new SyntheticMemories(plan.seed(), plan.memories());
                Progress progress = new Progress(screen, clock, "seeding")) {
            new Importer(client, null, importer -> {
                        progress.show(importer.accepted(), plan.memories(), "memories");
                        if (vectors != null) {
                            vectors.wake();
                        }
                    })
                    .run(memories, clock::nanoTime);
        }
    }

    private static PrometheusText metrics(GatewayClient client) {
        Answer answer = client.get("/metrics");
        return PrometheusText.parse(answer.isSuccess() ? answer.text() : "");
    }
}
