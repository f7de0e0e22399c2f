package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input gets a clear answer and loses nothing. */
class BadInputTest {

    private static TestGateway gateway;

    @BeforeAll
    static void start() {
        gateway = new TestGateway();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @AfterEach
    void nothingWasStoredAndTheGatewayStillServes() {
        assertThat(gateway.runtime.memories.count()).isZero();
        assertThat(gateway.get("/health/live").statusCode()).isEqualTo(200);
    }

    private static String deep(int levels) {
        return "{\"content\":\"x\",\"metadata\":" + "{\"a\":".repeat(levels) + "1" + "}".repeat(levels) + "}";
    }

    static Stream<Arguments> memories() {
        String tooLong = "x".repeat((1 << 20) + 1);
        return Stream.of(
                Arguments.of("", 400, "invalid-json", null),
                Arguments.of("{", 400, "invalid-json", null),
                Arguments.of("[]", 400, "invalid-json", null),
                Arguments.of("\"text\"", 400, "invalid-json", null),
                Arguments.of("null", 400, "invalid-json", null),
                Arguments.of("{\"content\":\"x\"} trailing", 400, "invalid-json", null),
                Arguments.of("{'content':'x'}", 400, "invalid-json", null),
                Arguments.of("{\"content\":\"x\",\"content\":\"y\"}", 400, "invalid-json", null),
                Arguments.of("{\"content\":NaN}", 400, "invalid-json", null),
                Arguments.of(deep(100_000), 400, "invalid-json", null),
                Arguments.of(deep(100), 400, "invalid-json", null),
                Arguments.of("{}", 400, "invalid-field", "content"),
                Arguments.of("{\"content\":null}", 400, "invalid-field", "content"),
                Arguments.of("{\"content\":\"\"}", 400, "invalid-field", "content"),
                Arguments.of("{\"content\":\"  \\n \"}", 400, "invalid-field", "content"),
                Arguments.of("{\"content\":7}", 400, "invalid-field", "content"),
                Arguments.of("{\"content\":[\"x\"]}", 400, "invalid-field", "content"),
                Arguments.of("{\"content\":\"" + tooLong + "\"}", 413, "payload-too-large", "content"),
                Arguments.of("{\"content\":\"a\\u0000b\"}", 400, "invalid-text", "content"),
                Arguments.of("{\"content\":\"a\\ud83d b\"}", 400, "invalid-text", "content"),
                Arguments.of("{\"content\":\"x\",\"author\":\"\\ude00\"}", 400, "invalid-text", "author"),
                Arguments.of(
                        "{\"content\":\"x\",\"metadata\":{\"a\":[\"\\u0000\"]}}", 400, "invalid-text", "metadata.a[0]"),
                Arguments.of("{\"content\":\"x\",\"metadata\":{\"a\\u0000\":1}}", 400, "invalid-text", "metadata"),
                Arguments.of("{\"content\":\"x\",\"metadata\":{\"a\":1e999}}", 400, "invalid-field", "metadata.a"),
                Arguments.of("{\"content\":\"x\",\"metadata\":[]}", 400, "invalid-field", "metadata"),
                Arguments.of("{\"content\":\"x\",\"kind\":\"poem\"}", 400, "invalid-field", "kind"),
                Arguments.of("{\"content\":\"x\",\"pinned\":\"yes\"}", 400, "invalid-field", "pinned"),
                Arguments.of("{\"content\":\"x\",\"occurred_at\":\"yesterday\"}", 400, "invalid-field", "occurred_at"),
                Arguments.of("{\"content\":\"x\",\"contents\":\"y\"}", 400, "unknown-field", "contents"),
                Arguments.of("{\"memories\":[]}", 400, "invalid-field", "memories"),
                Arguments.of("{\"memories\":\"x\"}", 400, "invalid-field", "memories"),
                Arguments.of("{\"memories\":[{\"content\":\"x\"}],\"more\":1}", 400, "unknown-field", "more"),
                Arguments.of(
                        "{\"memories\":[{\"content\":\"x\"},{\"content\":\"\"}]}",
                        400,
                        "invalid-field",
                        "memories[1].content"),
                Arguments.of(
                        "{\"memories\":[{\"content\":\"x\"},{\"text\":\"y\"}]}",
                        400,
                        "unknown-field",
                        "memories[1].text"));
    }

    @ParameterizedTest
    @MethodSource("memories")
    void aBadMemoryIsRefusedByName(String body, int status, String code, @Nullable String field) {
        assertProblem(gateway.post("/v1/memories", body), status, code, field);
    }

    @Test
    void moreThanAThousandMemoriesAreRefused() {
        JsonArray memories = new JsonArray();
        for (int i = 0; i <= 1_000; i++) {
            memories.add(new JsonObject().put("content", "x"));
        }

        assertProblem(
                gateway.post("/v1/memories", new JsonObject().put("memories", memories)),
                400,
                "invalid-field",
                "memories");
    }

    static Stream<Arguments> recalls() {
        return Stream.of(
                Arguments.of("{}", 400, "invalid-field", "query"),
                Arguments.of("{\"query\":7}", 400, "invalid-field", "query"),
                Arguments.of("{\"query\":\"a\\u0000\"}", 400, "invalid-text", "query"),
                Arguments.of("{\"query\":\"\\udc00\"}", 400, "invalid-text", "query"),
                Arguments.of("{\"query\":\"x\",\"mode\":\"fuzzy\"}", 400, "invalid-field", "mode"),
                Arguments.of("{\"query\":\"x\",\"mode\":1}", 400, "invalid-field", "mode"),
                Arguments.of("{\"query\":\"x\",\"limit\":0}", 400, "invalid-field", "limit"),
                Arguments.of("{\"query\":\"x\",\"limit\":51}", 400, "invalid-field", "limit"),
                Arguments.of("{\"query\":\"x\",\"limit\":\"10\"}", 400, "invalid-field", "limit"),
                Arguments.of("{\"query\":\"x\",\"limit\":1.5}", 400, "invalid-field", "limit"),
                Arguments.of("{\"query\":\"x\",\"deadline_ms\":0}", 400, "invalid-field", "deadline_ms"),
                Arguments.of("{\"query\":\"x\",\"kinds\":[\"turn\",\"poem\"]}", 400, "invalid-field", "kinds[1]"),
                Arguments.of("{\"query\":\"x\",\"k\":3}", 400, "unknown-field", "k"));
    }

    @ParameterizedTest
    @MethodSource("recalls")
    void aBadRecallIsRefusedByName(String body, int status, String code, String field) {
        assertProblem(gateway.post("/v1/recall", body), status, code, field);
        assertThat(gateway.runtime.recalled).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "201", "ten", "1.5", "-1", "99999999999999999999", ""})
    void aBadLimitIsRefused(String limit) {
        assertProblem(gateway.get("/v1/memories?limit=" + limit), 400, "invalid-field", "limit");
    }

    static Stream<Arguments> queries() {
        return Stream.of(
                Arguments.of("/v1/memories?limits=3", "unknown-field", "limits"),
                Arguments.of("/v1/memories?limit=3&limit=4", "invalid-field", "limit"),
                Arguments.of("/v1/memories?kind=poem", "invalid-field", "kind"),
                Arguments.of("/v1/memories?state=PENDING", "invalid-field", "state"),
                Arguments.of("/v1/memories?session=", "invalid-field", "session"),
                Arguments.of("/v1/memories?session=a%00b", "invalid-text", "session"),
                Arguments.of("/v1/memories?session=" + "s".repeat(201), "invalid-field", "session"),
                Arguments.of("/v1/jobs?verbose=1", "unknown-field", "verbose"));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void aBadQueryParameterIsRefusedByName(String path, String code, String field) {
        assertProblem(gateway.get(path), 400, code, field);
    }

    @Test
    void aSessionMustBeNamedToBeDeleted() {
        assertProblem(gateway.send("DELETE", "/v1/memories", null), 400, "invalid-field", "session");
    }

    @ParameterizedTest
    @ValueSource(strings = {"00000000-0000-0000-0000-000000000000", "not-an-id", "1-1-1-1-1", "%00"})
    void anUnknownIdIsNotFoundWhateverItLooksLike(String id) {
        HttpResponse<String> got = gateway.get("/v1/memories/" + id);
        HttpResponse<String> deleted = gateway.send("DELETE", "/v1/memories/" + id, null);
        HttpResponse<String> patched = gateway.send("PATCH", "/v1/memories/" + id, "{\"pinned\":true}");

        Stream.of(got, deleted, patched)
                .forEach(response -> assertThat(response.statusCode()).isEqualTo(id.equals("%00") ? 400 : 404));
    }

    @Test
    void aPatchWithAnUnknownFieldIsRefused() {
        assertProblem(
                gateway.send("PATCH", "/v1/memories/" + UUID.randomUUID(), "{\"colour\":1}"),
                400,
                "unknown-field",
                "colour");
    }

    @Test
    void anUnknownRouteIsNotFound() {
        assertProblem(gateway.get("/v2/memories"), 404, "not-found", null);
        assertProblem(gateway.get("/"), 404, "not-found", null);
        assertProblem(gateway.post("/v1/nothing", "{"), 404, "not-found", null);
    }

    @Test
    void aWrongMethodNamesTheRightOnes() {
        HttpResponse<String> response = gateway.send("PUT", "/v1/memories", "{}");

        assertProblem(response, 405, "method-not-allowed", null);
        assertThat(response.headers().firstValue("allow")).contains("DELETE, GET, HEAD, POST");
        assertThat(gateway.get("/v1/recall").headers().firstValue("allow")).contains("POST");
        assertThat(TestGateway.json(gateway.get("/v1/embeddings"))
                        .getJsonObject("error")
                        .getString("code"))
                .isEqualTo("method_not_allowed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/x-www-form-urlencoded",
                "application/json; charset=latin1",
                "application/jsonx",
                "multipart/form-data; boundary=x"
            })
    void aWrongMediaTypeIsRefused(String type) {
        assertProblem(
                gateway.post("/v1/memories", "{\"content\":\"x\"}", "content-type", type),
                415,
                "unsupported-media-type",
                "content-type");
    }

    @Test
    void aCompressedBodyIsRefused() {
        assertProblem(
                gateway.post("/v1/memories", "{\"content\":\"x\"}", "content-encoding", "gzip"),
                415,
                "unsupported-media-type",
                "content-type");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-5", "soon", "1e3", ""})
    void aBadDeadlineIsRefused(String deadline) {
        assertProblem(
                gateway.post("/v1/recall", "{\"query\":\"x\"}", "x-recallgate-deadline-ms", deadline),
                400,
                "invalid-field",
                "x-recallgate-deadline-ms");
    }

    @Test
    void aBadProjectIsRefused() {
        assertProblem(
                gateway.get("/v1/memories", "x-recallgate-project", "p".repeat(201)),
                400,
                "invalid-field",
                "x-recallgate-project");
    }

    private static void assertProblem(HttpResponse<String> response, int status, String code, @Nullable String field) {
        assertThat(response.body()).isNotEmpty();
        JsonObject problem = TestGateway.json(response);
        assertThat(response.statusCode()).as(problem.encode()).isEqualTo(status);
        assertThat(response.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(response.headers().firstValue("x-request-id")).isPresent();
        assertThat(problem.getString("code")).as(problem.encode()).isEqualTo(code);
        assertThat(problem.getString("field")).as(problem.encode()).isEqualTo(field);
        assertThat(problem.getString("detail")).isNotBlank();
        assertThat(problem.getInteger("status")).isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/memories/%zz", "/v1/memories/%", "/%c3%28/%", "/v1/models/%e0%a4%a"})
    void aPathThatIsNotValidPercentEncodingIsRefused(String path) throws IOException {
        String answer = bare("GET " + path + " HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");

        assertThat(answer).matches("(?s)HTTP/1\\.1 40[04] .*");
        assertProblemText(answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n"})
    void whatIsNoHttpIsRefusedInTheUsualShape(String request) throws IOException {
        String answer = bare(request);

        assertThat(answer).matches("(?s)HTTP/1\\.[01] 400 .*");
        assertProblemText(answer);
    }

    @Test
    void aRequestLineOrHeadersThatAreTooLongAreRefusedInTheUsualShape() throws IOException {
        String line = bare("GET /v1/memories?cursor=" + "x".repeat(9_000) + " HTTP/1.1\r\nhost: localhost\r\n\r\n");
        String headers = bare("GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\nx-much: " + "x".repeat(17_000) + "\r\n\r\n");

        assertThat(line).matches("(?s)HTTP/1\\.[01] 414 .*");
        assertThat(headers).matches("(?s)HTTP/1\\.[01] 431 .*");
        assertProblemText(line);
        assertProblemText(headers);
    }

    @Test
    void theServerAsAWholeIsNoRoute() throws IOException {
        String answer = bare("OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 404 ");
        assertProblemText(answer);
    }

    @Test
    void headAnswersAsGetWithoutTheBody() throws IOException {
        String got = bare("GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        String head = bare("HEAD /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");

        assertThat(head).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n");
        String length =
                "content-length: " + got.substring(got.indexOf("\r\n\r\n") + 4).length();
        assertThat(got).contains(length);
        assertThat(head).contains(length);
        assertThat(bare("HEAD /v1/recall HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 405 ");
    }

    private static String bare(String request) throws IOException {
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void assertProblemText(String answer) {
        assertThat(answer).contains("content-type: application/problem+json").contains("x-request-id: ");
        JsonObject problem = new JsonObject(answer.substring(answer.indexOf("\r\n\r\n") + 4));
        assertThat(problem.getString("detail")).isNotBlank();
        assertThat(problem.getInteger("status")).isEqualTo(Integer.parseInt(answer.substring(9, 12)));
    }
}
