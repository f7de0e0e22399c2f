package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What logs, traces and metrics say of requests, and what they do not. */
class SignalsOfRequestsTest {

    private static final String SECRET = "zebra-violin-secret-text";
    private static final String KEY = "sk-crocodile-secret-key";
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final LinesWritten written = new LinesWritten();
    private final UpstreamStub upstream = new UpstreamStub();
    private final TestGateway gateway = new TestGateway(upstream.conversation());

    @BeforeEach
    void listen() {
        written.start();
        root.addAppender(written);
    }

    @AfterEach
    void close() {
        root.detachAppender(written);
        gateway.close();
        upstream.close();
    }

    private static String path(Endpoint endpoint) {
        return endpoint.path().replaceAll("\\{[a-z_]+}", UUID.randomUUID().toString());
    }

    /** Something with the secret in it for every kind of body, good ones and bad ones. */
    private static List<String> bodies() {
        JsonObject conversation = new JsonObject()
                .put("model", SECRET)
                .put("max_tokens", 10)
                .put(
                        "messages",
                        new JsonArray().add(new JsonObject().put("role", "user").put("content", SECRET)));
        return List.of(
                conversation.encode(),
                new JsonObject().put("content", SECRET).encode(),
                new JsonObject().put("query", SECRET).encode(),
                new JsonObject().put("model", SECRET).put("input", SECRET).encode(),
                new JsonObject().put(SECRET, SECRET).encode(),
                "{\"content\":\"" + SECRET + "\",",
                SECRET);
    }

    @Test
    void noRouteLogsWhatItWasSentNorAnyKeyNorOwner() {
        for (FailureException trouble : new FailureException[] {
            null,
            new FailureException(FailureCode.INTERNAL, "a defect").causedBy(new IllegalStateException("inside")),
            new FailureException(FailureCode.DATABASE_UNAVAILABLE, "out of reach")
        }) {
            gateway.runtime.failAll(trouble);
            for (Endpoint endpoint : gateway.api.endpoints()) {
                if (trouble != null && endpoint.path().endsWith("/import")) {
                    // It would try again for half a minute.
                    continue;
                }
                for (String body : endpoint.takesBody() ? bodies() : List.of("")) {
                    String type =
                            endpoint.takesBody() ? endpoint.body().iterator().next() : "application/json";
                    gateway.send(
                            endpoint.method().name(),
                            path(endpoint) + (body.isEmpty() || body.equals(SECRET) ? "?session=" + SECRET : ""),
                            body,
                            "content-type",
                            type,
                            "authorization",
                            "Bearer " + KEY,
                            "x-api-key",
                            KEY,
                            "x-recallgate-key",
                            KEY,
                            "x-recallgate-session",
                            SECRET);
                }
            }
        }

        assertThat(written.lines).as("something was logged").isNotEmpty();
        assertThat(written.lines)
                .filteredOn(line -> line.logger().startsWith("io.recallgate"))
                .isNotEmpty();
        assertThat(written.lines).allSatisfy(line -> assertThat(line.text()).doesNotContain(SECRET, KEY));
        assertThat(gateway.get("/metrics").body()).doesNotContain(SECRET, KEY);
    }

    @Test
    void everyLineOfARequestHasItsIdItsTraceAndItsOwner() {
        upstream.answer = (request, response) -> request.closed().complete(null);
        upstream.onHead = request -> request.connection().close();

        gateway.post(
                "/v1/chat/completions",
                bodies().get(0),
                "x-request-id",
                "r-17",
                "traceparent",
                "00-" + TRACE + "-" + SPAN + "-01");

        assertThat(written.lines)
                .filteredOn(line -> line.text().contains("r-17"))
                .isNotEmpty()
                .allSatisfy(line -> {
                    CallContext call = line.call().orElseThrow();
                    assertThat(call.requestId()).isEqualTo("r-17");
                    assertThat(call.trace().traceId()).isEqualTo(TRACE);
                    assertThat(call.trace().spanId()).isNotEqualTo(SPAN);
                    assertThat(call.ownerHash()).isPresent();
                });
    }

    @Test
    void aClientsTraceGoesOnToTheProviderWithASpanOfOurs() throws InterruptedException {
        MultiMap sent = sent("traceparent", "00-" + TRACE + "-" + SPAN + "-01", "tracestate", "vendor=1");

        assertThat(sent.getAll("traceparent")).singleElement().satisfies(header -> {
            TraceContext there = TraceContext.parse(List.of(header), List.of()).orElseThrow();
            assertThat(there.traceId()).isEqualTo(TRACE);
            assertThat(there.spanId()).isNotEqualTo(SPAN);
            assertThat(there.sampled()).isTrue();
        });
        assertThat(sent.getAll("tracestate")).containsExactly("vendor=1");
    }

    @Test
    void aTraceThatIsNotValidIsReplacedAndNoError() throws InterruptedException {
        MultiMap sent = sent("traceparent", "00-" + TRACE + "-0000000000000000-01", "tracestate", "vendor=1");

        assertThat(sent.getAll("traceparent")).singleElement().satisfies(header -> assertThat(header)
                .doesNotContain(TRACE));
        assertThat(TraceContext.parse(sent.getAll("traceparent"), List.of())).isPresent();
        assertThat(sent.contains("tracestate")).isFalse();
    }

    private MultiMap sent(String... headers) throws InterruptedException {
        assertThat(gateway.post("/v1/chat/completions", bodies().get(0), headers)
                        .statusCode())
                .isEqualTo(200);
        return upstream.next().headers();
    }

    @Test
    void theNumberOfSeriesDoesNotGrowWithWhatCallersChoose() {
        strangers(3);
        // The first look adds the series of its own route.
        series();
        long before = series();

        strangers(12);

        assertThat(series()).isEqualTo(before);
    }

    private void strangers(int count) {
        for (int i = 0; i < count; i++) {
            String name = UUID.randomUUID().toString();
            String[] headers = {"x-recallgate-project", name, "x-recallgate-session", name, "x-request-id", name};
            gateway.post("/v1/memories", "{\"content\":\"x\",\"session\":\"" + name + "\"}", headers);
            gateway.post("/v1/recall", "{\"query\":\"x\",\"session\":\"" + name + "\"}", headers);
            gateway.post("/v1/embeddings", "{\"input\":\"x\",\"model\":\"" + name + "\"}", headers);
            gateway.get("/v1/memories/" + name, headers);
            gateway.get("/" + name, headers);
            for (Protocol protocol : Protocol.values()) {
                gateway.post(
                        protocol == Protocol.OPENAI ? "/v1/chat/completions" : "/v1/messages",
                        "{\"model\":\"" + name
                                + "\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}",
                        headers);
            }
        }
        upstream.received.clear();
    }

    private long series() {
        return gateway.get("/metrics")
                .body()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .count();
    }
}
