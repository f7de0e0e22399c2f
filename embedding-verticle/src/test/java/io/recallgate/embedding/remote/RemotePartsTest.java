package io.recallgate.embedding.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureException;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of the remote provider that need no server. */
class RemotePartsTest {

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:11434, http://127.0.0.1:11434/v1/embeddings",
        "http://127.0.0.1:11434/, http://127.0.0.1:11434/v1/embeddings",
        "https://api.openai.com/v1, https://api.openai.com/v1/embeddings",
        "https://api.openai.com/v1/, https://api.openai.com/v1/embeddings",
        "https://gate.example/openai/v1/embeddings, https://gate.example/openai/v1/embeddings"
    })
    void theEndpointFollowsFromTheBaseUrl(String url, String endpoint) {
        assertThat(server(url).endpoint()).hasToString(endpoint);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://host/v1", "http:///v1", "http://user:key@host/v1", "http://host/v1?key=x", "v1"})
    void aUrlThatIsNoneOrCarriesSecretsIsRefused(String url) {
        assertThatThrownBy(() -> server(url))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(error -> assertThat(error.getMessage()).doesNotContain("key@"));
    }

    @Test
    void theKeyIsNotShown() {
        RemoteOptions.Server server =
                new RemoteOptions.Server(URI.create("http://host/v1"), Optional.of("sk-secret"), false);
        assertThat(server.toString()).contains("with a key").doesNotContain("sk-secret");
    }

    @Test
    void theFingerprintIsOfUrlModelDimensionsAndPrefixesEach() {
        URI endpoint = URI.create("http://host/v1/embeddings");
        Set<String> fingerprints = new HashSet<>();
        fingerprints.add(model("m", "q", "d").identity(endpoint, 8).fingerprint());
        fingerprints.add(model("m2", "q", "d").identity(endpoint, 8).fingerprint());
        fingerprints.add(model("m", "qd", "").identity(endpoint, 8).fingerprint());
        fingerprints.add(model("m", "", "qd").identity(endpoint, 8).fingerprint());
        fingerprints.add(model("m", "q", "d").identity(endpoint, 9).fingerprint());
        fingerprints.add(model("m", "q", "d")
                .identity(URI.create("http://other/v1/embeddings"), 8)
                .fingerprint());
        assertThat(fingerprints).hasSize(6).allMatch(hex -> hex.matches("[0-9a-f]{64}"));
        ModelIdentity again = model("m", "q", "d").identity(endpoint, 8);
        assertThat(fingerprints).contains(again.fingerprint());
    }

    @Test
    void aRequestKeepsOpenAisLimitsOnRowsAndTokens() {
        List<ProviderRow> rows = new ArrayList<>(Collections.nCopies(2_048, row("x".repeat(400))));
        rows.add(row("y".repeat(290_000)));
        List<List<ProviderRow>> parts = BatchPlan.of(rows, 2_048);
        assertThat(parts).allSatisfy(part -> {
            assertThat(part.size()).isBetween(1, 2_048);
            assertThat(part.stream().mapToInt(ProviderRow::mostTokens).sum()).isLessThanOrEqualTo(300_000);
        });
        assertThat(parts.stream().flatMap(List::stream).toList()).isEqualTo(rows);
        assertThat(BatchPlan.of(Collections.nCopies(2_048, row("x")), 2_048)).hasSize(1);
    }

    @Test
    void aRowIsCutByEstimateNeverWithinACharacterAndCountsItsBytes() {
        RemoteOptions.Model model = new RemoteOptions.Model("m", OptionalInt.empty(), 16, "", "doc: ");
        ProviderRow emoji = ProviderRow.of(new EmbedInput.Text("😀".repeat(100)), InputType.DOCUMENT, model);
        assertThat(emoji.truncated()).isTrue();
        assertThat((String) emoji.value()).startsWith("doc: 😀").endsWith("😀");
        assertThat(emoji.mostTokens())
                .isEqualTo(((String) emoji.value()).getBytes(java.nio.charset.StandardCharsets.UTF_8).length);
        assertThat(ProviderRow.of(new EmbedInput.Text("kurz"), InputType.QUERY, model)
                        .truncated())
                .isFalse();
        ProviderRow tokens = ProviderRow.of(new EmbedInput.Tokens(new int[40]), InputType.QUERY, model);
        assertThat(tokens.truncated()).isTrue();
        assertThat(tokens.mostTokens()).isEqualTo(16);
    }

    @Test
    void neitherKindOfWorkKeepsTheOtherOut() {
        Lanes<String> lanes = new Lanes<>(4);
        for (int i = 0; i < 10; i++) {
            lanes.enqueue(Priority.DOCUMENT, "d" + i);
            lanes.enqueue(Priority.QUERY, "q" + i);
        }
        List<String> started = new ArrayList<>();
        for (String next = lanes.next(); next != null; next = lanes.next()) {
            started.add(next);
        }
        assertThat(started).containsExactly("q0", "q1", "q2", "d0");
        lanes.release(Priority.QUERY);
        assertThat(lanes.next()).isEqualTo("q3");
        lanes.clear(Priority.QUERY);
        lanes.release(Priority.QUERY);
        lanes.release(Priority.QUERY);
        assertThat(lanes.next()).isEqualTo("d1");
        assertThat(lanes.next()).as("half of them is enough for documents").isNull();
    }

    @Test
    void bothFormsOfVectorsAreReadInTheOrderOfTheirIndex() {
        String base64 = java.util.Base64.getEncoder()
                .encodeToString(
                        io.recallgate.embedding.api.EmbeddingVector.of(0, 3).toLittleEndian());
        AnswerReader.Vectors vectors = read(
                "{\"usage\":{\"prompt_tokens\":9,\"x\":[1]},\"data\":[{\"index\":1,\"embedding\":[2,0.0e0]},"
                        + "{\"index\":0,\"embedding\":\"" + base64 + "\"}],\"more\":{\"a\":[{}]}}",
                2);
        assertThat(vectors.rows().get(0).toArray()).containsExactly(0, 1);
        assertThat(vectors.rows().get(1).toArray()).containsExactly(1, 0);
        assertThat(vectors.promptTokens()).hasValue(9);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{\"data\":[{\"embedding\":[1]}",
                "{\"data\":[{\"embedding\":[\"1\"]}]}",
                "{\"data\":[{\"embedding\":[0,0]}]}",
                "{\"data\":[{\"embedding\":[1e999]}]}",
                "{\"data\":[{\"embedding\":[]}]}",
                "{\"data\":[{\"embedding\":\"####\"}]}",
                "{\"data\":[{\"index\":1,\"embedding\":[1]}]}",
                "{\"data\":[{}]}",
                "{\"data\":{}}",
                "{\"object\":\"list\"}"
            })
    void whatIsNoAnswerIsAFailureAndNoDefect(String body) {
        assertThatThrownBy(() -> read(body, 1)).isInstanceOf(FailureException.class);
    }

    private static AnswerReader.Vectors read(String body, int rows) {
        return AnswerReader.read(new ProviderClient.Answer(200, null, Buffer.buffer(body)), rows, OptionalInt.empty());
    }

    private static ProviderRow row(String text) {
        return new ProviderRow(text, text.length(), text.length() / 4, false);
    }

    private static RemoteOptions.Server server(String url) {
        return new RemoteOptions.Server(URI.create(url), Optional.empty(), false);
    }

    private static RemoteOptions.Model model(String name, String query, String document) {
        return new RemoteOptions.Model(name, OptionalInt.empty(), 512, query, document);
    }
}
