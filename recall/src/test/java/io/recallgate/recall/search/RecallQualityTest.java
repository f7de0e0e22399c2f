package io.recallgate.recall.search;

import static io.recallgate.recall.MemoryFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.embedding.EmbeddingVerticle;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.recall.vector.VectorIndex.VectorQuery;
import io.recallgate.recall.vector.VectorIndexes;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Recall on conversations in the form of LoCoMo, with the real model and a real database, in process. The files are not
 * part of the project: {@code RECALLGATE_EVAL_DIR} names a directory with them.
 */
@Tag("long")
@EnabledIfEnvironmentVariable(named = "RECALLGATE_EVAL_DIR", matches = ".+")
class RecallQualityTest {

    private static final DateTimeFormatter SESSION_DATE = new DateTimeFormatterBuilder()
            .parseCaseInsensitive()
            .appendPattern("h:mm a 'on' d MMMM, uuuu")
            .toFormatter(Locale.ENGLISH);

    private static final int BATCH = 64;

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestDatabase server = TestDatabase.embedded();
    private final Database database = Database.open(vertx, server.options(), new VertxTimers(vertx));
    private final MemoryFixture memories = new MemoryFixture(server);
    private final ReadWorkers workers = new ReadWorkers(vertx, 2, 64);
    private final EmbeddingVerticle pool = new EmbeddingVerticle(
            EmbeddingOptions.defaults(RealModel.NAME, RealModel.dataDirectory(), 2)
                    .withoutPublicAddresses(),
            meters);
    private Embedder embedder;
    private ModelIdentity model;
    private VectorIndex index;
    private RecallService recaller;

    private record Question(Scope scope, String text, Set<UUID> evidence) {}

    @BeforeEach
    void start() throws Exception {
        vertx.deployVerticle(pool).await(60, TimeUnit.SECONDS);
        model = pool.ready().await(60, TimeUnit.SECONDS);
        embedder = pool.embedder();
        index = await(VectorIndexes.open(database, SystemClock.INSTANCE, workers, () -> 128L << 20, meters));
        recaller = SearchServices.create(
                new SearchServices.Parts(database, new LuceneAnalysis(), embedder, index),
                SystemClock.INSTANCE,
                new VertxTimers(vertx),
                // Quality is measured, not patience: a busy machine must not turn into lexical answers.
                () -> new RecallSettings(60_000, 60_000, 5, 1_000, 300_000, 1_000, 3_600_000, 128L << 20),
                meters);
    }

    @AfterEach
    void stop() throws Exception {
        await(index.close());
        await(workers.close());
        await(database.close());
        vertx.close().await(60, TimeUnit.SECONDS);
        memories.close();
        server.close();
    }

    @Test
    void hybridRecallFindsTheEvidenceBetterThanEitherLegAlone() throws Exception {
        List<Question> questions = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of(System.getenv("RECALLGATE_EVAL_DIR")))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".json"))
                    .sorted()
                    .toList()) {
                questions.addAll(load(file));
            }
        }
        double lexical = report("lexical", questions, question -> recalled(question, RecallMode.LEXICAL));
        double vector = report("vector", questions, this::nearest);
        double hybrid = report("hybrid", questions, question -> recalled(question, RecallMode.HYBRID));
        assertThat(hybrid).isGreaterThanOrEqualTo(0.85).isGreaterThan(lexical).isGreaterThan(vector);
    }

    @SuppressWarnings("SystemOut") // the figures are what this test is for
    private static double report(String name, List<Question> questions, Function<Question, List<UUID>> search) {
        double recall = 0;
        double reciprocal = 0;
        long[] nanos = new long[questions.size()];
        for (int i = 0; i < questions.size(); i++) {
            Question question = questions.get(i);
            long start = SystemClock.INSTANCE.nanoTime();
            List<UUID> found = search.apply(question);
            nanos[i] = SystemClock.INSTANCE.nanoTime() - start;
            Set<UUID> top = new HashSet<>(found.subList(0, Math.min(10, found.size())));
            top.retainAll(question.evidence);
            recall += top.size() / (double) question.evidence.size();
            for (int rank = 0; rank < Math.min(20, found.size()); rank++) {
                if (question.evidence.contains(found.get(rank))) {
                    reciprocal += 1.0 / (rank + 1);
                    break;
                }
            }
        }
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%s: n=%d recall@10=%.4f MRR=%.4f p50=%.2f ms p95=%.2f ms p99=%.2f ms%n",
                name,
                questions.size(),
                recall / questions.size(),
                reciprocal / questions.size(),
                nanos[nanos.length / 2] / 1e6,
                nanos[nanos.length * 95 / 100] / 1e6,
                nanos[nanos.length * 99 / 100] / 1e6);
        return recall / questions.size();
    }

    private List<UUID> recalled(Question question, RecallMode mode) {
        RecallResponse response = await(recaller.recall(
                question.scope,
                new RecallRequest(question.text, mode, 20, null, Set.of(), false, soon(), new CancelSignal())));
        assertThat(response.degraded()).isNull();
        return response.hits().stream().map(hit -> hit.memory().id()).toList();
    }

    private List<UUID> nearest(Question question) {
        EmbedResult embedded = await(embed(List.of(question.text), InputType.QUERY));
        return await(index.search(
                        new VectorQuery(
                                question.scope,
                                model.fingerprint(),
                                embedded.vectors().get(0),
                                20,
                                null,
                                Set.of()),
                        soon()))
                .stream()
                .map(VectorIndex.VectorHit::memoryId)
                .toList();
    }

    private io.vertx.core.Future<EmbedResult> embed(List<String> texts, InputType type) {
        return embedder.embed(new EmbedRequest(
                UUID.randomUUID().toString(),
                texts.stream()
                        .map(text -> (EmbedInput) new EmbedInput.Text(text))
                        .toList(),
                type,
                type == InputType.QUERY ? Priority.QUERY : Priority.DOCUMENT,
                Deadline.afterMillis(SystemClock.INSTANCE, 120_000),
                new CancelSignal()));
    }

    private List<Question> load(Path file) throws IOException {
        JsonObject conversation = new JsonObject(Files.readString(file));
        Scope scope = new Scope("eval", file.getFileName().toString());
        Map<String, UUID> turns = new HashMap<>();
        List<UUID> ids = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (int session = 1; session < 100; session++) {
            JsonArray list = conversation.getJsonArray("session_" + session);
            if (list == null) {
                continue;
            }
            Instant start = LocalDateTime.parse(
                            conversation.getString("session_" + session + "_date_time"), SESSION_DATE)
                    .toInstant(ZoneOffset.UTC);
            for (int i = 0; i < list.size(); i++) {
                JsonObject turn = list.getJsonObject(i);
                String text = turn.getString("clean_text", turn.getString("text"));
                String caption = turn.getString("blip_caption");
                String content = caption == null ? text : text + " [" + caption + "]";
                String author = turn.getString("speaker");
                MemoryDraft draft = MemoryFixture.draft(
                        content, MemoryKind.TURN, file + "/" + session, author, start.plusSeconds(60L * i));
                UUID id = memories.insert(UUID.randomUUID(), scope, draft);
                turns.put(turn.getString("dia_id"), id);
                ids.add(id);
                texts.add(author + ": " + content);
            }
        }
        for (int from = 0; from < texts.size(); from += BATCH) {
            int to = Math.min(from + BATCH, texts.size());
            EmbedResult result = await(embed(texts.subList(from, to), InputType.DOCUMENT));
            for (int i = from; i < to; i++) {
                memories.vector(
                        scope,
                        ids.get(i),
                        model.fingerprint(),
                        0,
                        result.vectors().get(i - from));
            }
        }
        return questions(conversation, scope, turns);
    }

    private static List<Question> questions(JsonObject conversation, Scope scope, Map<String, UUID> turns) {
        List<Question> questions = new ArrayList<>();
        JsonArray list = conversation.getJsonArray("qa");
        for (int i = 0; i < list.size(); i++) {
            JsonObject question = list.getJsonObject(i);
            Set<UUID> evidence = new HashSet<>();
            for (Object entry : question.getJsonArray("evidence", new JsonArray())) {
                for (String id : String.valueOf(entry).split("[;, ]+", -1)) {
                    UUID turn = turns.get(id.strip());
                    if (turn != null) {
                        evidence.add(turn);
                    }
                }
            }
            if (question.getInteger("category") <= 4 && !evidence.isEmpty()) {
                questions.add(new Question(scope, question.getString("question"), evidence));
            }
        }
        return questions;
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 120_000);
    }
}
