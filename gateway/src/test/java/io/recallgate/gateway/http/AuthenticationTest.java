package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.config.ApiKeys;
import io.recallgate.recall.api.Scope;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
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

    @BeforeEach
    void start() throws IOException, NoSuchAlgorithmException {
        Path file = directory.resolve("keys.yaml");
        Files.writeString(
                file,
                "keys:\n"
                        + "  - {sha256: " + sha256("reader") + ", owner: alice, rights: [read]}\n"
                        + "  - {sha256: " + sha256("writer")
                        + ", owner: bob, projects: [atlas], rights: [read, write]}\n"
                        + "  - {sha256: " + sha256("admin") + ", owner: root, rights: [admin]}\n");
        gateway = new TestGateway(ApiKeys.load(file));
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
    void aKeySpeaksForItsOwner() throws InterruptedException {
        gateway.post("/v1/recall", "{\"query\":\"x\"}", "x-recallgate-key", "reader");

        assertThat(gateway.runtime.recallScopes.poll(5, TimeUnit.SECONDS)).isEqualTo(new Scope("alice", ""));
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
                .isEqualTo(501);
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
