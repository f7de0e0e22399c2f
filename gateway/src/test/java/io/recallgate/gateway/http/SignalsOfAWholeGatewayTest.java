package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.recallgate.digest.Sha256;
import io.recallgate.embedding.remote.ScriptedProvider;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What logs, traces and metrics say where memories are really kept, embedded and recalled, and what they do not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class SignalsOfAWholeGatewayTest {

    private static final String SECRET = "zebra-violin-secret-text";
    private static final String KEY = "rg-crocodile-secret-key";
    private static final String OWNER = "owner-pelican";
    private static final long PATIENT_MILLIS = 30_000;

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Logger ours = (Logger) LoggerFactory.getLogger("io.recallgate");
    private final Level level = ours.getLevel();
    private final UpstreamStub upstream = new UpstreamStub();
    private final LinesWritten written = new LinesWritten();
    private WholeGateway gateway;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        Path keys = Files.writeString(
                directory.resolve("keys.yaml"),
                "keys: [{sha256: " + Sha256.hex(KEY) + ", owner: " + OWNER + ", rights: [read, write, admin]}]");
        gateway = new WholeGateway(
                directory,
                new JsonObject()
                        .put("http", new JsonObject().put("api-keys-file", keys.toString()))
                        .put(
                                "conversation",
                                new JsonObject()
                                        .put(
                                                "upstream-openai-url",
                                                upstream.url().toString())
                                        .put(
                                                "upstream-anthropic-url",
                                                upstream.url().toString()))
                        .put(
                                "embedding",
                                new JsonObject().put("breaker-expiries", 1_000).put("timeout-ms", PATIENT_MILLIS))
                        .put("probes", new JsonObject().put("cadence-ms", 0))
                        .put(
                                "jobs",
                                new JsonObject()
                                        .put("poll-ms", 50)
                                        .put("backoff-base-ms", 50)
                                        .put("max-attempts", 1)),
                64);
    }

    @AfterAll
    void stop() {
        gateway.close();
        upstream.close();
    }

    @BeforeEach
    void listen() {
        ours.setLevel(Level.TRACE);
        written.lines.clear();
        written.start();
        root.addAppender(written);
    }

    @AfterEach
    void heal() throws Exception {
        mend();
        root.detachAppender(written);
        ours.setLevel(level);
    }

    private void mend() throws Exception {
        gateway.wire.mode(DatabaseProxy.Mode.PASS);
        gateway.provider.answers();
        gateway.provider.release();
        embeddingTimeout(PATIENT_MILLIS);
        upstream.answer = (request, response) ->
                response.putHeader("content-type", "application/json").end("{\"ok\":true}");
        Eventually.holds(
                "it is ready", 60, () -> send("GET", "/health/ready", null).statusCode() == 200);
    }

    @Test
    void aTraceGoesOnToTheEmbeddingProviderAndTheUpstreamFromEveryRoute() throws Exception {
        for (String path : List.of("/v1/embeddings", "/v1/recall", "/v1/chat/completions", "/v1/messages")) {
            TraceContext trace = TraceContext.fresh();
            String question = "what is " + UUID.randomUUID();
            upstream.received.clear();

            HttpResponse<String> answer =
                    send("POST", path, body(path, question), "traceparent", trace.traceparent(), "x-request-id", "r-1");

            assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
            List<ScriptedProvider.Asked> asked = gateway.provider.asked.stream()
                    .filter(each -> each.texts().toString().contains(question))
                    .toList();
            assertThat(asked).as(path).isNotEmpty().allSatisfy(each -> goesOn(trace, each.traceparent()));
            if (path.startsWith("/v1/chat") || path.equals("/v1/messages")) {
                goesOn(trace, upstream.next().headers().get("traceparent"));
            }
        }
    }

    /** Only what never answers is given up soon; whatever else is asked for is to be had, however slow the machine is. */
    private void embeddingTimeout(long millis) {
        JsonObject settings = new JsonObject().put("EMBEDDING_TIMEOUT_MS", millis);
        assertThat(send("PATCH", "/v1/settings", settings).statusCode()).isEqualTo(200);
    }

    private static void goesOn(TraceContext trace, @Nullable String header) {
        TraceContext there = TraceContext.parse(List.of(Objects.requireNonNull(header)), List.of())
                .orElseThrow();
        assertThat(there.traceId()).isEqualTo(trace.traceId());
        assertThat(there.spanId()).isNotEqualTo(trace.spanId());
    }

    @Test
    void aLineFromDeepInsideARequestHasItsIdItsTraceAndItsOwner() {
        TraceContext trace = TraceContext.fresh();
        gateway.provider.fails(500, "server_error", "no");

        send(
                "POST",
                "/v1/recall",
                body("/v1/recall", "a question"),
                "traceparent",
                trace.traceparent(),
                "x-request-id",
                "r-17");

        assertThat(written.lines)
                .filteredOn(line -> line.text().contains("is served lexical instead of hybrid"))
                .isNotEmpty()
                .allSatisfy(line -> {
                    CallContext call = line.call().orElseThrow();
                    assertThat(call.requestId()).isEqualTo("r-17");
                    assertThat(call.trace().traceId()).isEqualTo(trace.traceId());
                    assertThat(call.ownerHash()).contains(Sha256.hex(OWNER).substring(0, 12));
                });
    }

    @Test
    void noTroubleMakesAnythingShowATextAKeyOrAnOwner() throws Exception {
        List<Runnable> troubles = new ArrayList<>(List.of(
                () -> {},
                () -> gateway.provider.fails(400, "invalid_request", "cannot embed '" + SECRET + "'"),
                () -> gateway.provider.fails(500, "server_error", SECRET),
                () -> gateway.provider.says("{\"data\":[{\"index\":0,\"" + SECRET + "\":"),
                () -> gateway.provider.says(SECRET),
                () -> gateway.provider.answersWithDimensions(7),
                gateway.provider::dropsMidBody,
                () -> {
                    embeddingTimeout(500);
                    gateway.provider.stalls();
                },
                () -> upstream.answer = (request, response) ->
                        response.setStatusCode(400).end("{\"error\":{\"message\":\"" + SECRET + "\"}}"),
                () -> upstream.answer = (request, response) -> response.end("{\"" + SECRET),
                () -> upstream.answer = (request, response) -> request.cut(),
                () -> gateway.wire.mode(DatabaseProxy.Mode.CUT)));
        for (Runnable trouble : troubles) {
            trouble.run();
            everyKindOfCall();
            mend();
        }
        // Whatever could not be embedded failed for good.
        Eventually.holds("jobs are over", 60, () -> {
            JsonObject counts = new JsonObject(send("GET", "/v1/jobs", null).body()).getJsonObject("counts");
            return counts.getInteger("available", 0)
                            + counts.getInteger("running", 0)
                            + counts.getInteger("retryable", 0)
                    == 0;
        });

        assertThat(written.lines).extracting(LinesWritten.Line::logger).anySatisfy(logger -> assertThat(logger)
                .startsWith("io.recallgate.recall.search"));
        assertThat(written.lines).extracting(LinesWritten.Line::logger).anySatisfy(logger -> assertThat(logger)
                .startsWith("io.recallgate.recall.jobs"));
        assertThat(written.lines).allSatisfy(line -> assertThat(line.text()).doesNotContain(SECRET, KEY, OWNER));
        assertThat(send("GET", "/metrics", null).body())
                .contains("recallgate_recall")
                .doesNotContain(SECRET, KEY, OWNER);
    }

    private void everyKindOfCall() {
        for (String mode : List.of("hybrid", "lexical", "strict")) {
            send("POST", "/v1/recall", new JsonObject().put("query", SECRET).put("mode", mode));
        }
        send(
                "POST",
                "/v1/memories",
                new JsonObject()
                        .put("content", SECRET + " " + UUID.randomUUID())
                        .put("external_id", SECRET)
                        .put("session", SECRET));
        send("GET", "/v1/memories?session=" + SECRET, null);
        for (String path : List.of("/v1/embeddings", "/v1/chat/completions", "/v1/messages")) {
            send("POST", path, body(path, SECRET + " " + UUID.randomUUID()));
        }
        send("POST", "/v1/memories/import", new JsonObject().put("content", SECRET + " " + UUID.randomUUID()));
    }

    private static JsonObject body(String path, String text) {
        return switch (path) {
            case "/v1/embeddings" -> new JsonObject().put("model", "scripted").put("input", text);
            case "/v1/recall" -> new JsonObject().put("query", text);
            default ->
                new JsonObject()
                        .put("model", SECRET)
                        .put("max_tokens", 10)
                        .put(
                                "messages",
                                new JsonArray()
                                        .add(new JsonObject()
                                                .put("role", "user")
                                                .put("content", text)));
        };
    }

    private HttpResponse<String> send(String method, String path, @Nullable JsonObject body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port + path))
                .timeout(Duration.ofMinutes(2))
                .header("x-recallgate-key", KEY)
                .header("x-recallgate-session", SECRET)
                .header("x-recallgate-project", SECRET)
                .header("x-recallgate-deadline-ms", "60000")
                .header("content-type", path.endsWith("/import") ? "application/x-ndjson" : "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.encode()));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return gateway.client
                .sendAsync(request.build(), BodyHandlers.ofString())
                .join();
    }
}
