package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class EmbeddingRoutesTest {

    private static final String MODEL = ScriptedRuntime.MODEL.name();

    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = new TestGateway();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private HttpResponse<String> embed(Object input, String... headers) {
        return gateway.post(
                "/v1/embeddings", new JsonObject().put("model", MODEL).put("input", input), headers);
    }

    private EmbedRequest next() throws InterruptedException {
        EmbedRequest request = gateway.runtime.embedded.poll(60, TimeUnit.SECONDS);
        assertThat(request).as("what the model was asked").isNotNull();
        return request;
    }

    @Test
    void oneTextGivesOneVectorOfFloats() {
        HttpResponse<String> response = embed("hello");

        JsonObject body = TestGateway.json(response);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(body.getString("object")).isEqualTo("list");
        assertThat(body.getString("model")).isEqualTo(MODEL);
        assertThat(body.getJsonObject("usage"))
                .isEqualTo(new JsonObject().put("prompt_tokens", 3).put("total_tokens", 3));
        JsonObject entry = body.getJsonArray("data").getJsonObject(0);
        assertThat(entry.getString("object")).isEqualTo("embedding");
        assertThat(entry.getInteger("index")).isZero();
        assertThat(entry.getJsonArray("embedding").getFloat(0)).isEqualTo(0.6f);
        assertThat(response.headers().firstValue("x-recallgate-truncated")).isEmpty();
    }

    @Test
    void everyFormOfInputReachesTheModelInOrder() throws InterruptedException {
        embed(new JsonArray(List.of("a", "b")));
        embed(new JsonArray(List.of(1, 2, 3)));
        embed(new JsonArray().add(new JsonArray(List.of(1))).add(new JsonArray(List.of(2, 3))));

        assertThat(next().inputs()).containsExactly(new EmbedInput.Text("a"), new EmbedInput.Text("b"));
        assertThat(next().inputs()).containsExactly(new EmbedInput.Tokens(new int[] {1, 2, 3}));
        assertThat(next().inputs())
                .containsExactly(new EmbedInput.Tokens(new int[] {1}), new EmbedInput.Tokens(new int[] {2, 3}));
    }

    @Test
    void severalInputsKeepTheirOrderAndIndexAndTheirTokensAreAddedUp() {
        gateway.runtime.embed = request -> Future.succeededFuture(new EmbedResult(
                ScriptedRuntime.MODEL,
                List.of(axis(0), axis(1), axis(2)),
                List.of(2, 3, 4),
                List.of(),
                EmbedResult.Timing.NONE));

        JsonObject body = TestGateway.json(embed(new JsonArray(List.of("a", "b", "c"))));

        JsonArray data = body.getJsonArray("data");
        assertThat(data).hasSize(3);
        for (int i = 0; i < 3; i++) {
            JsonObject entry = data.getJsonObject(i);
            assertThat(entry.getInteger("index")).isEqualTo(i);
            assertThat(entry.getJsonArray("embedding").getFloat(i))
                    .as("the vector of input %d", i)
                    .isEqualTo(1f);
        }
        assertThat(body.getJsonObject("usage"))
                .isEqualTo(new JsonObject().put("prompt_tokens", 9).put("total_tokens", 9));
    }

    private static EmbeddingVector axis(int dimension) {
        float[] values = new float[ScriptedRuntime.MODEL.dimensions()];
        values[dimension] = 1;
        return EmbeddingVector.of(values);
    }

    @Test
    void base64IsLittleEndianFloat32OfTheSameVector() {
        JsonObject request = new JsonObject().put("model", MODEL).put("input", "hello");
        JsonArray floats = TestGateway.json(gateway.post("/v1/embeddings", request))
                .getJsonArray("data")
                .getJsonObject(0)
                .getJsonArray("embedding");

        String base64 = TestGateway.json(
                        gateway.post("/v1/embeddings", request.copy().put("encoding_format", "base64")))
                .getJsonArray("data")
                .getJsonObject(0)
                .getString("embedding");

        EmbeddingVector decoded =
                EmbeddingVector.ofLittleEndian(Base64.getDecoder().decode(base64));
        assertThat(decoded.dimensions()).isEqualTo(8);
        for (int i = 0; i < 8; i++) {
            assertThat(decoded.get(i)).isEqualTo(floats.getFloat(i));
        }
    }

    @Test
    void dimensionsCutsAndScalesToUnitLengthAgain() {
        JsonArray vector = TestGateway.json(gateway.post(
                        "/v1/embeddings",
                        new JsonObject()
                                .put("model", MODEL)
                                .put("input", "hello")
                                .put("dimensions", 1)))
                .getJsonArray("data")
                .getJsonObject(0)
                .getJsonArray("embedding");

        assertThat(vector.size()).isEqualTo(1);
        assertThat(vector.getFloat(0)).isEqualTo(1f);
    }

    @Test
    void inputTypeAndDeadlineOfTheCallerReachTheModel() throws InterruptedException {
        HttpResponse<String> first =
                embed("q", "x-recallgate-input-type", "query", "x-recallgate-deadline-ms", "60000");
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        embed("d");

        EmbedRequest query = next();
        assertThat(query.inputType()).isEqualTo(InputType.QUERY);
        assertThat(query.priority()).isEqualTo(Priority.QUERY);
        assertThat(query.deadline().remainingMillis()).isBetween(1L, 60_000L);
        EmbedRequest document = next();
        assertThat(document.inputType()).isEqualTo(InputType.DOCUMENT);
        assertThat(document.priority()).isEqualTo(Priority.DOCUMENT);
        assertThat(document.deadline().remainingMillis()).isGreaterThan(800_000);
        assertThat(document.id()).isNotEqualTo(query.id());
    }

    @Test
    void cutInputsAreNamed() {
        String longText = "word ".repeat(500);

        HttpResponse<String> response = embed(new JsonArray(List.of(longText, "short", longText)));

        assertThat(response.headers().firstValue("x-recallgate-truncated")).contains("0,2");
        assertThat(response.headers().firstValue("x-recallgate-truncated-count"))
                .contains("2");
    }

    @Test
    void twoThousandCutInputsStillGiveAHeaderThatClientsTake() {
        HttpResponse<String> response = embed(new JsonArray(Collections.nCopies(2_048, "word ".repeat(220))));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("x-recallgate-truncated").orElseThrow())
                .startsWith("0,1,2")
                .hasSizeLessThan(4_096);
        assertThat(response.headers().firstValue("x-recallgate-truncated-count"))
                .contains("2048");
        assertThat(TestGateway.json(response).getJsonArray("data")).hasSize(2_048);
    }

    static Stream<Arguments> badBodies() {
        return Stream.of(
                Arguments.of("{\"input\":\"x\"}", "model", "invalid_value"),
                Arguments.of("{\"model\":7,\"input\":\"x\"}", "model", "invalid_value"),
                Arguments.of("{\"model\":\"M\"}", "input", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":null}", "input", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":\"\"}", "input", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[]}", "input", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":{}}", "input", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[\"x\",\"\"]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[\"x\",1]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[1,\"x\"]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[1,-1]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[1,1.5]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[1,4294967296]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[[1],[]]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[true]}", "input[0]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":7}", "input", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":true}", "input", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[\"x\",null]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[null]}", "input[0]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[\"x\",[1]]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[[1],\"x\"]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[[1],2]}", "input[1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[[1],[2,1.0]]}", "input[1][1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[[1],[2,-3]]}", "input[1][1]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[[1],[\"x\"]]}", "input[1][0]", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[[]]}", "input[0]", "invalid_value"),
                Arguments.of("{\"model\":null,\"input\":\"x\"}", "model", "invalid_value"),
                Arguments.of("{\"model\":\"\",\"input\":\"x\"}", "model", "invalid_value"),
                Arguments.of(
                        "{\"model\":\"M\",\"input\":\"x\",\"encoding_format\":7}", "encoding_format", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":\"x\",\"dimensions\":-1}", "dimensions", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":\"x\",\"dimensions\":4.0}", "dimensions", "invalid_value"),
                Arguments.of(
                        "{\"model\":\"M\",\"input\":\"x\",\"dimensions\":4294967296}", "dimensions", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":\"a\\u0000\"}", "input", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":[\"x\",\"\\ud800\"]}", "input[1]", "invalid_value"),
                Arguments.of(
                        "{\"model\":\"M\",\"input\":\"x\",\"encoding_format\":\"hex\"}",
                        "encoding_format",
                        "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":\"x\",\"dimensions\":0}", "dimensions", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":\"x\",\"dimensions\":9}", "dimensions", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":\"x\",\"dimensions\":\"8\"}", "dimensions", "invalid_value"),
                Arguments.of("{\"model\":\"M\",\"input\":\"x\",\"inputs\":1}", "inputs", "unknown_parameter"),
                Arguments.of("{\"model\":\"M\",\"input\":\"x\",\"user\":1}", "user", "invalid_value"),
                Arguments.of("{\"model\":", null, "invalid_json"));
    }

    @ParameterizedTest
    @MethodSource("badBodies")
    void aBadBodyIsRefusedInTheDialectsShape(String body, @Nullable String param, String code) {
        HttpResponse<String> response = gateway.post("/v1/embeddings", body.replace("\"M\"", "\"" + MODEL + "\""));

        JsonObject error = TestGateway.json(response).getJsonObject("error");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("content-type")).contains("application/json");
        assertThat(error.fieldNames()).containsExactlyInAnyOrder("message", "type", "param", "code");
        assertThat(error.getString("type")).isEqualTo("invalid_request_error");
        assertThat(error.getString("param")).as(error.encode()).isEqualTo(param);
        assertThat(error.getString("code")).isEqualTo(code);
        assertThat(gateway.runtime.embedded).isEmpty();
    }

    @Test
    void theUserIsTakenAndNullStandsForWhatIsNotGiven() {
        HttpResponse<String> response = gateway.post(
                "/v1/embeddings",
                new JsonObject()
                        .put("model", MODEL)
                        .put("input", "x")
                        .put("user", "somebody")
                        .putNull("dimensions")
                        .putNull("encoding_format"));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    @Test
    void moreThanTwoThousandAndFortyEightInputsAreRefused() {
        HttpResponse<String> response = embed(new JsonArray(Collections.nCopies(2_049, "x")));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestGateway.json(response).getJsonObject("error").getString("message"))
                .contains("2048");
    }

    @Test
    void anotherModelIsNotFoundAsOpenAiSaysIt() {
        HttpResponse<String> response = gateway.post(
                "/v1/embeddings",
                new JsonObject().put("model", "text-embedding-3-small").put("input", "x"));

        assertThat(response.statusCode()).isEqualTo(404);
        JsonObject error = TestGateway.json(response).getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo("model_not_found");
        assertThat(error.getString("param")).isEqualTo("model");
        assertThat(gateway.get("/v1/models/gpt-4").statusCode()).isEqualTo(404);
    }

    @Test
    void vectorsOfAModelThatCameWhileTheRequestWaitedAreNotGivenAsTheOneThatWasAskedFor() {
        gateway.runtime.embed =
                request -> Future.succeededFuture(made(request, new ModelIdentity("another", "1f".repeat(32), 8, 512)));

        HttpResponse<String> response = embed("x");

        assertThat(response.statusCode()).isEqualTo(404);
        JsonObject error = TestGateway.json(response).getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo("model_not_found");
        assertThat(error.getString("param")).isEqualTo("model");
        assertThat(error.getString("message")).contains("another");
    }

    @Test
    void aModelOfTheSameNameWithFewerDimensionsThanAskedForIsNotServedShort() {
        gateway.runtime.embed =
                request -> Future.succeededFuture(made(request, new ModelIdentity(MODEL, "1f".repeat(32), 4, 512)));

        HttpResponse<String> response = gateway.post(
                "/v1/embeddings",
                new JsonObject().put("model", MODEL).put("input", "x").put("dimensions", 8));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestGateway.json(response).getJsonObject("error").getString("param"))
                .isEqualTo("dimensions");
    }

    private static EmbedResult made(EmbedRequest request, ModelIdentity model) {
        List<EmbeddingVector> vectors = request.inputs().stream()
                .map(input -> EmbeddingVector.of(new float[model.dimensions()]))
                .toList();
        return new EmbedResult(
                model, vectors, Collections.nCopies(vectors.size(), 3), List.of(), EmbedResult.Timing.NONE);
    }

    static Stream<Arguments> inputsAndWhatTheirFirstIsCalled() {
        return Stream.of(
                Arguments.of("x", "input"),
                Arguments.of(new JsonArray(List.of("x")), "input[0]"),
                Arguments.of(new JsonArray(List.of(7, 8)), "input[1]"),
                Arguments.of(new JsonArray().add(new JsonArray(List.of(7, 8))), "input[0][1]"));
    }

    @ParameterizedTest
    @MethodSource("inputsAndWhatTheirFirstIsCalled")
    void aFailureOfTheModelNamesTheInputAsTheCallerWroteIt(Object input, String param) {
        gateway.runtime.embed = request -> Future.failedFuture(FailureException.ofField(
                FailureCode.INVALID_FIELD,
                request.inputs().get(0) instanceof EmbedInput.Text ? "input[0]" : "input[0][1]",
                "the model does not take this"));

        HttpResponse<String> response = embed(input);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestGateway.json(response).getJsonObject("error").getString("param"))
                .isEqualTo(param);
    }

    @Test
    void theModelIsListed() {
        JsonObject list = TestGateway.json(gateway.get("/v1/models"));

        assertThat(list.getString("object")).isEqualTo("list");
        JsonObject model = list.getJsonArray("data").getJsonObject(0);
        assertThat(model.getString("id")).isEqualTo(MODEL);
        assertThat(model.getString("object")).isEqualTo("model");
        assertThat(TestGateway.json(gateway.get("/v1/models/" + MODEL))).isEqualTo(model);
    }

    @ParameterizedTest
    @EnumSource(FailureCode.class)
    void everyFailureOfTheProviderKeepsItsStatus(FailureCode code) {
        gateway.runtime.embed = request -> Future.failedFuture(new FailureException(code, "what to do"));

        HttpResponse<String> response = embed("x");

        assertThat(response.statusCode()).isEqualTo(code.httpStatus());
        assertThat(TestGateway.json(response).getJsonObject("error").getString("message"))
                .isEqualTo("what to do");
        boolean later = code.retry() == FailureCode.Retry.LATER;
        assertThat(response.headers().firstValue("retry-after").isPresent()).isEqualTo(later);
        assertThat(response.headers().firstValue("x-should-retry")).contains(Boolean.toString(later));
    }
}
