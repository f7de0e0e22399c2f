package io.recallgate.gateway.http;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.config.SettingsOperations;
import io.recallgate.gateway.conversation.admission.AdmissionLimits;
import io.recallgate.gateway.conversation.evidence.Overruns;
import io.recallgate.gateway.conversation.prepare.PreparationOptions;
import io.recallgate.gateway.conversation.turn.PassThrough;
import io.recallgate.gateway.conversation.turn.TurnPreparation;
import io.recallgate.gateway.conversation.upstream.UpstreamOptions;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.gateway.probe.ProbeName;
import io.recallgate.gateway.probe.ProbeOperations;
import io.recallgate.gateway.probe.ProbeReport;
import io.recallgate.gateway.probe.ProbeView;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.recallgate.gateway.runtime.Services;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.JobReport;
import io.recallgate.recall.api.JobService;
import io.recallgate.recall.api.RecallLogPolicy;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallStats;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.time.Deadline;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A runtime whose services answer at once unless a test scripts something else. */
final class ScriptedRuntime implements GatewayRuntime {

    static final ModelIdentity MODEL = new ModelIdentity("e5-small-v2-q", "0f".repeat(32), 8, 512);

    final ScriptedMemories memories = new ScriptedMemories();
    final BlockingQueue<EmbedRequest> embedded = new LinkedBlockingQueue<>();
    final BlockingQueue<RecallRequest> recalled = new LinkedBlockingQueue<>();
    final BlockingQueue<Scope> recallScopes = new LinkedBlockingQueue<>();
    final BlockingQueue<JsonObject> overrides = new LinkedBlockingQueue<>();

    final BlockingQueue<Duration> windows = new LinkedBlockingQueue<>();
    private final ReadWorkers readers;
    volatile TurnPreparation turns;
    volatile Overruns overruns = Overruns.NONE;

    volatile RecallStats stats = new RecallStats(
            Duration.ofHours(24),
            false,
            Map.of(
                    RecallMode.HYBRID,
                    new RecallStats.Mode(
                            12,
                            1,
                            1,
                            2,
                            3,
                            new RecallStats.Spans(1.004, 2, 3, 4, 5, 6),
                            Map.of(DegradeReason.EMBEDDING_TIMEOUT, 4L, DegradeReason.MODEL_MISMATCH, 1L))),
            new RecallStats.Log(RecallLogPolicy.Questions.HASHED, 100, 7));

    /** Nobody listens there; what a test is about it sets. */
    static final RecallgateConfig.Conversation CONVERSATION = new RecallgateConfig.Conversation(
            new AdmissionLimits(64, 48, 4, 256, 192, 16, 30_000),
            new UpstreamOptions(
                    false, URI.create("http://127.0.0.1:1"), URI.create("http://127.0.0.1:1"), 5_000, 60_000, 60_000),
            PreparationOptions.DEFAULTS);

    volatile RecallgateConfig.Conversation conversation = CONVERSATION;
    volatile ModelIdentity model = MODEL;
    volatile WorkerOperations workers = new Workers();
    volatile ProbeOperations probes = new NoProbes();
    volatile Phase phase = Phase.READY;
    final AtomicInteger healthReads = new AtomicInteger();
    volatile JsonObject health = new JsonObject().put("status", "ready");
    volatile Function<EmbedRequest, Future<EmbedResult>> embed = request -> Future.succeededFuture(vectors(request));
    volatile Function<RecallRequest, Future<RecallResponse>> recall =
            request -> Future.succeededFuture(emptyAnswer(request));

    ScriptedRuntime(Vertx vertx) {
        readers = new ReadWorkers(vertx, 2, 128);
        turns = new PassThrough(new JsonWorkers(readers, new VertxTimers(vertx)));
    }

    /** Everything fails so from now on, or is well again for null. */
    void failAll(@Nullable FailureException trouble) {
        memories.failing = trouble;
        embed = request -> trouble == null ? Future.succeededFuture(vectors(request)) : Future.failedFuture(trouble);
        recall = request ->
                trouble == null ? Future.succeededFuture(emptyAnswer(request)) : Future.failedFuture(trouble);
    }

    @Override
    public Phase phase() {
        return phase;
    }

    @Override
    public Services services() {
        return new Services(
                memories,
                new Jobs(),
                recallService(),
                this::statistics,
                new ScriptedEmbedder(),
                workers,
                probes,
                turns);
    }

    @Override
    public ReadWorkers readers() {
        return readers;
    }

    @Override
    public Overruns overruns() {
        return overruns;
    }

    @Override
    public RecallgateConfig.Conversation conversation() {
        return conversation;
    }

    @Override
    public SettingsOperations settings() {
        return new Settings();
    }

    @Override
    public Future<JsonObject> health() {
        healthReads.incrementAndGet();
        return Future.succeededFuture(health);
    }

    private Future<RecallStats> statistics(Scope scope, Duration window, Deadline deadline) {
        windows.add(window);
        return Future.succeededFuture(stats);
    }

    private RecallService recallService() {
        return (scope, request) -> {
            recallScopes.add(scope);
            recalled.add(request);
            return recall.apply(request);
        };
    }

    static RecallResponse emptyAnswer(RecallRequest request) {
        return new RecallResponse(
                new UUID(7, 7),
                request.mode(),
                request.mode(),
                null,
                1.0,
                List.of(),
                new RecallResponse.Timing(1.234, null, 0.5, null, null));
    }

    /** Vectors that tell which input they are of: the first value is the index plus one, before scaling. */
    static EmbedResult vectors(EmbedRequest request) {
        List<EmbeddingVector> vectors = new ArrayList<>();
        List<Integer> tokens = new ArrayList<>();
        List<Integer> truncated = new ArrayList<>();
        for (int i = 0; i < request.inputs().size(); i++) {
            float[] values = new float[MODEL.dimensions()];
            values[0] = 0.6f;
            values[i % 7 + 1] = 0.8f;
            vectors.add(EmbeddingVector.of(values));
            tokens.add(3);
            if (request.inputs().get(i) instanceof EmbedInput.Text text
                    && text.text().length() > 1_000) {
                truncated.add(i);
            }
        }
        return new EmbedResult(MODEL, vectors, tokens, truncated, EmbedResult.Timing.NONE);
    }

    private final class ScriptedEmbedder implements Embedder {
        @Override
        public Future<EmbedResult> embed(EmbedRequest request) {
            embedded.add(request);
            return embed.apply(request);
        }

        @Override
        public Future<ModelIdentity> model() {
            return Future.succeededFuture(model);
        }
    }

    private static final class Jobs implements JobService {
        @Override
        public Future<JobReport> report(Scope scope, Deadline deadline) {
            return Future.succeededFuture(new JobReport(
                    Map.of("available", 1L, "failed", 2L),
                    1_500,
                    List.of(new JobReport.JobError(
                            new UUID(1, 2), 3, "embedding-failed", "the model said no", Instant.EPOCH)),
                    new JobReport.Reembedding(MODEL.fingerprint(), 5, 3, 7, 1)));
        }

        @Override
        public Future<Integer> retryFailed(Scope scope, Deadline deadline) {
            return Future.succeededFuture(2);
        }
    }

    private static final class Workers implements WorkerOperations {
        @Override
        public Future<JsonObject> status() {
            return Future.succeededFuture(
                    new JsonObject().put("slots", new JsonArray().add(new JsonObject().put("slot", 0))));
        }

        @Override
        public Future<JsonObject> restart(int slot) {
            return slot == 0
                    ? Future.succeededFuture(new JsonObject().put("slot", 0).put("state", "retiring"))
                    : Future.failedFuture(FailureException.ofField(FailureCode.NOT_FOUND, "slot", "no such slot"));
        }

        @Override
        public Future<JsonObject> replaceModel(String model) {
            return model.equals(MODEL.name())
                    ? Future.succeededFuture(new JsonObject().put("state", "unchanged"))
                    : Future.failedFuture(
                            FailureException.ofField(FailureCode.INVALID_FIELD, "model", "there is no model " + model));
        }
    }

    private static final class NoProbes implements ProbeOperations {
        @Override
        public List<ProbeReport> reports() {
            return List.of();
        }

        @Override
        public Optional<Future<ProbeView.Settled>> run(ProbeName name, Deadline deadline) {
            return Optional.empty();
        }
    }

    private final class Settings implements SettingsOperations {
        @Override
        public JsonObject describe() {
            return new JsonObject().put("settings", new JsonArray());
        }

        @Override
        public JsonObject override(JsonObject changes) {
            if (changes.containsKey("NOPE")) {
                throw FailureException.ofField(FailureCode.UNKNOWN_FIELD, "NOPE", "no such setting");
            }
            overrides.add(changes);
            return describe();
        }
    }
}
