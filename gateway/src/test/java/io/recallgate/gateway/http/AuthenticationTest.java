package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.config.ApiKeysHolder;
import io.recallgate.gateway.http.transfer.TransferOptions;
import io.recallgate.recall.api.Scope;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuthenticationTest {

    @TempDir
    Path directory;

    private TestGateway gateway;
    private ApiKeysHolder keys;

    @BeforeEach
    void start() throws IOException, NoSuchAlgorithmException {
        Path file = directory.resolve("keys.yaml");
        Files.writeString(
                file,
                "keys:\n"
                        + "  - {sha256: " + sha256("reader") + ", owner: alice, rights: [read]}\n"
                        + "  - {sha256: " + sha256("writer")
                        + ", owner: bob, projects: [atlas], rights: [read, write]}\n"
                        + "  - {sha256: " + sha256("only-writer") + ", owner: alice, rights: [write]}\n"
                        + "  - {sha256: " + sha256("admin") + ", owner: root, rights: [admin]}\n");
        keys = ApiKeysHolder.load(file);
        gateway = new TestGateway(TransferOptions.DEFAULTS, keys);
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private static String sha256(String key) throws NoSuchAlgorithmException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void withoutAKeyOnlyHealthMetricsAndTheDescriptionAnswer() {
        gateway.api.endpoints().stream()
                .filter(endpoint -> endpoint.path().startsWith("/v1/"))
                .forEach(endpoint -> {
                    HttpResponse<String> response = gateway.send(
                            endpoint.method().name(), endpoint.path().replaceAll("\\{[a-z]+}", "0"), "{}");
                    assertThat(response.statusCode()).as(endpoint.path()).isEqualTo(401);
                    assertThat(response.headers().firstValue("www-authenticate"))
                            .isPresent();
                });
        assertThat(gateway.get("/health/live").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/metrics").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/openapi.yaml").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "authorization, Bearer reader, 200",
        "authorization, bearer reader, 200",
        "x-recallgate-key, reader, 200",
        "authorization, reader, 401",
        "authorization, Basic reader, 401",
        "authorization, Bearer, 401",
        "authorization, Bearer readers, 401",
        "x-recallgate-key, READER, 401"
    })
    void aKeyIsTakenFromEitherHeader(String header, String value, int status) {
        assertThat(gateway.get("/v1/memories", header, value).statusCode()).isEqualTo(status);
    }

    @Test
    void aKeyThatMayNotReadIsGivenNoMemoriesInAConversation() {
        String turn = "{\"model\":\"m\",\"messages\":[]}";
        for (String path : List.of("/v1/chat/completions", "/v1/messages")) {
            for (String memory : List.of("full", "read")) {
                assertThat(gateway.post(path, turn, "x-recallgate-key", "only-writer", "x-recallgate-memory", memory)
                                .statusCode())
                        .as(path + " " + memory)
                        .isEqualTo(403);
            }
            // Nobody listens at the provider's address: the gateway itself let it through.
            assertThat(gateway.post(path, turn, "x-recallgate-key", "only-writer", "x-recallgate-memory", "off")
                            .statusCode())
                    .as(path)
                    .isEqualTo(502);
        }
    }

    @Test
    void aKeySpeaksForItsOwner() throws InterruptedException {
        gateway.post("/v1/recall", "{\"query\":\"x\"}", "x-recallgate-key", "reader");

        assertThat(gateway.runtime.recallScopes.poll(60, TimeUnit.SECONDS)).isEqualTo(new Scope("alice", ""));
    }

    @Test
    void aKeyWithoutTheRightIsForbiddenBeforeAnythingIsRead() {
        assertThat(gateway.post("/v1/memories", "not json", "x-recallgate-key", "reader")
                        .statusCode())
                .isEqualTo(403);
        assertThat(gateway.get("/v1/settings", "x-recallgate-key", "writer", "x-recallgate-project", "atlas")
                        .statusCode())
                .isEqualTo(403);
        assertThat(gateway.get("/v1/settings", "x-recallgate-key", "admin").statusCode())
                .isEqualTo(200);
        assertThat(gateway.get("/v1/memories", "x-recallgate-key", "admin").statusCode())
                .isEqualTo(403);
    }

    @Test
    void aKeyTakenOutOfTheFileEndsWithTheNextRequestOnTheSameConnectionAndANewOneBegins() throws Exception {
        try (Socket connection = gateway.connect();
                Socket other = gateway.connect()) {
            assertThat(status(connection, "reader")).isEqualTo(200);
            assertThat(status(other, "successor")).isEqualTo(401);

            Files.writeString(
                    directory.resolve("keys.yaml"),
                    "keys:\n  - {sha256: " + sha256("successor") + ", owner: alice, rights: [read]}\n");
            keys.reload();
            assertThat(status(connection, "reader")).isEqualTo(200);
            keys.reload();

            assertThat(status(connection, "reader")).isEqualTo(401);
            assertThat(status(connection, "successor")).isEqualTo(200);
            assertThat(status(other, "successor")).isEqualTo(200);

            Files.writeString(directory.resolve("keys.yaml"), "keys: [");
            keys.reload();
            keys.reload();
            assertThat(status(connection, "successor")).isEqualTo(200);
        }
    }

    /** Asks on a connection that is kept, and reads the whole answer. */
    private static int status(Socket connection, String key) throws IOException {
        connection
                .getOutputStream()
                .write(("GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\nx-recallgate-key: " + key + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        InputStream in = connection.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int read = in.read();
            assertThat(read).as(head.toString()).isNotNegative();
            head.append((char) read);
        }
        Matcher length = Pattern.compile("(?i)content-length: (\\d+)").matcher(head);
        assertThat(length.find()).isTrue();
        in.readNBytes(Integer.parseInt(length.group(1)));
        return Integer.parseInt(head.substring(9, 12));
    }

    @Test
    void aKeyIsHeldToItsProjects() {
        assertThat(gateway.post("/v1/memories", "{\"content\":\"x\"}", "x-recallgate-key", "writer")
                        .statusCode())
                .isEqualTo(403);
        assertThat(gateway.post(
                                "/v1/memories",
                                "{\"content\":\"x\"}",
                                "x-recallgate-key",
                                "writer",
                                "x-recallgate-project",
                                "atlas")
                        .statusCode())
                .isEqualTo(202);
    }

    @Test
    void onConversationRoutesTheAuthorizationIsTheProviders() {
        assertThat(gateway.post("/v1/chat/completions", "{}", "authorization", "Bearer writer")
                        .statusCode())
                .isEqualTo(401);
        assertThat(gateway.post(
                                "/v1/messages",
                                "{}",
                                "authorization",
                                "Bearer sk-provider",
                                "x-recallgate-key",
                                "writer",
                                "x-recallgate-project",
                                "atlas")
                        .statusCode())
                .as("it is let in, and there is no provider")
                .isEqualTo(502);
    }

    @Test
    void openAiClientsReadTheirOwnErrorShape() {
        HttpResponse<String> response =
                gateway.post("/v1/embeddings", "{\"model\":\"m\",\"input\":\"x\"}", "authorization", "Bearer wrong");

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(TestGateway.json(response).getJsonObject("error").getString("code"))
                .isEqualTo("invalid_api_key");
    }
}
