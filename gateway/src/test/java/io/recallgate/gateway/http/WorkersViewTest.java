package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.embedding.EmbeddingVerticle;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.model.TokenizedRow;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** What a real pool shows, held against what is promised of it. */
class WorkersViewTest {

    /** Counts of the status that have a longer name as a metric. */
    private static final Map<String, String> SCRAPED_AS = Map.of(
            "retained", "retained_results_total",
            "retained_used", "retained_results_used_total",
            "tokens", "row_tokens_total",
            "starts", "worker_starts_total",
            "start_failures", "worker_start_failures_total",
            "expired_initialisations", "watchdog_expiries_total{kind=\"initialisation\"}",
            "expired_dispatches", "watchdog_expiries_total{kind=\"dispatch\"}",
            "expired_executions", "watchdog_expiries_total{kind=\"execution\"}",
            "unanswered_terminations", "watchdog_expiries_total{kind=\"termination\"}",
            "unconfirmed_exits", "watchdog_expiries_total{kind=\"exit\"}");

    private final Vertx vertx = Vertx.vertx();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final EmbeddingVerticle pool = new EmbeddingVerticle(
            EmbeddingOptions.defaults("still", Path.of("unused"), 1),
            registry,
            name -> new StillModel(),
            SystemClock.INSTANCE);

    @BeforeEach
    void deploy() {
        await(vertx.deployVerticle(pool));
        await(pool.ready());
    }

    @AfterEach
    void close() {
        await(vertx.close());
    }

    /** What only a remote provider has to tell; {@code RemoteProviderRecallTest} looks at those. */
    private static final Set<String> OF_A_REMOTE_PROVIDER =
            Set.of("provider", "url", "cancels_on_disconnect", "breaker", "connections", "attempts", "last_trouble");

    @Test
    void theStatusHasTheFieldsThatAreDescribedAndNoOthers() {
        JsonObject status = await(pool.operations().status());

        JsonObject schemas = schemas();
        assertFields("Workers", status, schemas.getJsonObject("Workers"), OF_A_REMOTE_PROVIDER);
        for (String part : List.of("model", "queue", "memory_gate", "throughput")) {
            assertFields(
                    part,
                    status.getJsonObject(part),
                    schemas.getJsonObject("Workers").getJsonObject("properties").getJsonObject(part),
                    Set.of());
        }
        JsonObject line = status.getJsonObject("queue").getJsonObject("queries");
        assertFields("QueueLine", line, schemas.getJsonObject("QueueLine"), Set.of());
        JsonArray slots = status.getJsonArray("slots");
        assertFields("Slot", slots.getJsonObject(0), schemas.getJsonObject("Slot"), Set.of());
        assertThat(slots.getJsonObject(0).getDouble("batch_cosine")).isEqualTo(0.5);
        assertThat(slots.getJsonObject(0).getInteger("loads")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "slots{kind=\"idle\"}",
                "slot_state_age_seconds{slot=\"0\"}",
                "slot_generation{slot=\"0\"}",
                "slot_charged_bytes{slot=\"0\"}",
                "slot_retry_debt{slot=\"0\"}",
                "queue_depth{kind=\"query\"}",
                "queue_depth{kind=\"document\"}",
                "queue_oldest_age_seconds{kind=\"query\"}",
                "queue_oldest_age_seconds{kind=\"document\"}",
                "queue_bytes",
                "operations",
                "waiters",
                "retained",
                "quarantined",
                "memory_budget_bytes",
                "memory_charged_bytes",
                "memory_next_bytes",
                "rows_per_second",
                "tokens_per_second"
            })
    void aGaugeIsScraped(String sample) {
        assertScraped("recallgate_embedding_" + sample, "gauge");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "submitted_total",
                "joined_total",
                "refused_total",
                "retained_results_total",
                "retained_results_used_total",
                "slices_total",
                "rows_total",
                "row_tokens_total",
                "tokens_total",
                "worker_starts_total",
                "worker_start_failures_total",
                "workers_lost_total",
                "terminations_total",
                "out_of_memory_total",
                "illegal_edges_total",
                "defects_total",
                "watchdog_expiries_total{kind=\"initialisation\"}",
                "watchdog_expiries_total{kind=\"dispatch\"}",
                "watchdog_expiries_total{kind=\"execution\"}",
                "watchdog_expiries_total{kind=\"termination\"}",
                "watchdog_expiries_total{kind=\"exit\"}",
                "dropped_messages_total{kind=\"ready\"}",
                "dropped_messages_total{kind=\"start-failed\"}",
                "dropped_messages_total{kind=\"grew\"}",
                "dropped_messages_total{kind=\"started\"}",
                "dropped_messages_total{kind=\"completed\"}",
                "dropped_messages_total{kind=\"failed\"}",
                "dropped_messages_total{kind=\"cancelled\"}",
                "dropped_messages_total{kind=\"terminated\"}",
                "dropped_messages_total{kind=\"stopped\"}",
                "dropped_messages_total{kind=\"exited\"}",
                "dropped_messages_total{kind=\"rows\"}",
                "dropped_messages_total{kind=\"worker-misdirected\"}",
                "dropped_messages_total{kind=\"worker-repeated\"}",
                "dropped_messages_total{kind=\"worker-late\"}",
                "dropped_messages_total{kind=\"worker-cancelled\"}",
                "dropped_messages_total{kind=\"worker-closed\"}"
            })
    void aCounterIsScraped(String sample) {
        assertScraped("recallgate_embedding_" + sample, "counter");
    }

    @Test
    void everyCountOfTheStatusIsScraped() {
        JsonObject status = await(pool.operations().status());
        List<String> page = registry.scrape().lines().toList();

        for (String name : status.getJsonObject("counters").fieldNames()) {
            String sample = SCRAPED_AS.getOrDefault(name, name + "_total");
            assertThat(page).anyMatch(line -> line.startsWith("recallgate_embedding_" + sample + " "));
        }
        for (String kind : status.getJsonObject("dropped").fieldNames()) {
            assertThat(page)
                    .anyMatch(line ->
                            line.startsWith("recallgate_embedding_dropped_messages_total{kind=\"" + kind + "\"} "));
        }
    }

    private void assertScraped(String sample, String type) {
        List<String> page = registry.scrape().lines().toList();
        String name = sample.replaceFirst("\\{.*", "");
        assertThat(page).anyMatch(line -> line.startsWith(sample + " "));
        assertThat(page).contains("# TYPE " + name + " " + type);
    }

    private static void assertFields(String what, JsonObject actual, JsonObject schema, Set<String> optional) {
        Set<String> described = new TreeSet<>(schema.getJsonObject("properties").fieldNames());
        described.removeAll(optional);
        assertThat(actual.fieldNames()).as(what).containsExactlyInAnyOrderElementsOf(described);
    }

    private static JsonObject schemas() {
        InputStream file = Objects.requireNonNull(WorkersViewTest.class.getResourceAsStream("/openapi.yaml"));
        return new JsonObject(new Yaml().<Map<String, Object>>load(file))
                .getJsonObject("components")
                .getJsonObject("schemas");
    }

    private static <T> T await(Future<T> future) {
        return future.toCompletionStage()
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    /** A model that is loaded and does nothing. */
    private static final class StillModel implements TextModel {
        @Override
        public ModelProfile profile() {
            return new ModelProfile(new ModelIdentity("still", "f", 2, 512), false, 0.5, 100, 1 << 20);
        }

        @Override
        public TokenizedRow tokenize(EmbedInput input, InputType type) {
            throw new IllegalStateException("nobody asks");
        }

        @Override
        public List<EmbeddingVector> run(long runId, List<TokenizedRow> rows) {
            throw new IllegalStateException("nobody asks");
        }

        @Override
        public void terminate(long runId) {
            // Nothing runs.
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
