package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.embedding.EmbeddingVerticle;
import io.recallgate.embedding.api.EmbeddingVector;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code POST /v1/embeddings} with the bundled model and the pool's usual bounds. */
@Timeout(180)
class RealModelEmbeddingsTest {

    @TempDir
    private static Path data;

    private static TestGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        gateway = new TestGateway();
        // Thousands of rows on a busy machine; the test proves that they come, not how fast.
        gateway.patience = Duration.ofSeconds(150);
        EmbeddingVerticle pool = new EmbeddingVerticle(
                EmbeddingOptions.defaults(EmbeddingOptions.DEFAULT_MODEL, data, 1), gateway.registry);
        TestGateway.await(gateway.vertx.deployVerticle(pool));
        gateway.runtime.model = pool.ready().await(90, TimeUnit.SECONDS);
        gateway.runtime.embed = pool.embedder()::embed;
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static JsonObject request(Object input) {
        return new JsonObject().put("model", EmbeddingOptions.DEFAULT_MODEL).put("input", input);
    }

    private static JsonArray data(JsonObject request) {
        HttpResponse<String> response = gateway.post("/v1/embeddings", request);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return TestGateway.json(response).getJsonArray("data");
    }

    @Test
    void base64IsTheFloatsBitForBit() {
        JsonArray floats = data(request("The cat sleeps.")).getJsonObject(0).getJsonArray("embedding");

        String base64 = data(request("The cat sleeps.").put("encoding_format", "base64"))
                .getJsonObject(0)
                .getString("embedding");

        EmbeddingVector decoded =
                EmbeddingVector.ofLittleEndian(Base64.getDecoder().decode(base64));
        assertThat(decoded.dimensions()).isEqualTo(floats.size());
        for (int i = 0; i < floats.size(); i++) {
            assertThat(Float.floatToRawIntBits(decoded.get(i)))
                    .isEqualTo(Float.floatToRawIntBits(
                            Float.parseFloat(floats.getValue(i).toString())));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64, 383, 384})
    void aCutVectorHasUnitLength(int dimensions) {
        JsonArray vector = data(request("The cat sleeps.").put("dimensions", dimensions))
                .getJsonObject(0)
                .getJsonArray("embedding");

        assertThat(vector.size()).isEqualTo(dimensions);
        double squares = IntStream.range(0, dimensions)
                .mapToDouble(i -> vector.getDouble(i) * vector.getDouble(i))
                .sum();
        assertThat(squares).isCloseTo(1, within(1e-5));
    }

    @Test
    void theMostInputsOfOneRequestAreServedInOrderWithinTheUsualBounds() {
        // Two texts by turns: their place in the answer tells that order was kept over hundreds of slices.
        JsonArray inputs = new JsonArray();
        for (int i = 0; i < 2_048; i++) {
            inputs.add(i % 2 == 0 ? "cat" : "the price of tea in the harbour town");
        }
        HttpResponse<String> response = gateway.stream(
                "POST",
                "/v1/embeddings",
                BodyPublishers.ofString(request(inputs).encode()));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonArray data = TestGateway.json(response).getJsonArray("data");
        assertThat(data).hasSize(2_048);
        for (int i = 2; i < 2_048; i++) {
            JsonObject entry = data.getJsonObject(i);
            assertThat(entry.getInteger("index")).isEqualTo(i);
            assertThat(cosine(entry, data.getJsonObject(i % 2))).isGreaterThan(0.97);
        }
        assertThat(cosine(data.getJsonObject(0), data.getJsonObject(1))).isLessThan(0.95);
    }

    private static double cosine(JsonObject one, JsonObject two) {
        JsonArray a = one.getJsonArray("embedding");
        JsonArray b = two.getJsonArray("embedding");
        return IntStream.range(0, a.size())
                .mapToDouble(i -> a.getDouble(i) * b.getDouble(i))
                .sum();
    }

    @Test
    void aTokenOutsideTheVocabularyIsRefusedWithItsPlace() {
        JsonArray rows = new JsonArray().add(new JsonArray().add(1037)).add(new JsonArray().add(2_000_000_000));

        HttpResponse<String> response = gateway.post("/v1/embeddings", request(rows));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestGateway.json(response).getJsonObject("error").getString("param"))
                .isEqualTo("input[1][0]");
    }

    @Test
    void moreTokensThanTheModelsWindowAreCutWithALabel() {
        JsonArray tokens = new JsonArray();
        IntStream.range(0, 9_000).forEach(i -> tokens.add(1037));

        HttpResponse<String> response = gateway.post("/v1/embeddings", request(tokens));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.headers().firstValue("x-recallgate-truncated")).contains("0");
        assertThat(TestGateway.json(response).getJsonObject("usage").getInteger("prompt_tokens"))
                .isEqualTo(512);
    }

    @Test
    @Tag("npm")
    void theOfficialClientReadsTheRealModel() throws Exception {
        OpenAiClientTest.install();

        assertThat(OpenAiClientTest.script("embeddings.mjs", gateway, "384", "real"))
                .endsWith("ok\n");
    }
}
