package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.config.ApiKeys;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gateway without keys serves this machine, and no web page that a browser on it happens to show. */
class LocalCallersTest {

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:7411", "localhost", "LOCALHOST:80", "[::1]:7411", "127.1.2.3", "app.localhost"})
    void aNameOfThisMachineIsServed(String host) throws IOException {
        try (TestGateway gateway = new TestGateway()) {
            assertThat(jobs(gateway, host)).startsWith("HTTP/1.1 200 ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"evil.example", "evil.example:7411", "127.0.0.1.evil.example", "localhost.evil", "10.0.0.1"})
    void anyOtherNameIsRefused(String host) throws IOException {
        try (TestGateway gateway = new TestGateway()) {
            String answer = jobs(gateway, host);

            assertThat(answer).startsWith("HTTP/1.1 403 ");
            JsonObject problem = new JsonObject(answer.substring(answer.indexOf("\r\n\r\n") + 4));
            assertThat(problem.getString("code")).isEqualTo("forbidden");
            assertThat(problem.getString("field")).isEqualTo("host");
            assertThat(problem.getString("detail")).contains("127.0.0.1").contains("RECALLGATE_API_KEYS_FILE");
        }
    }

    @Test
    void aPageFromElsewhereIsRefusedAlsoWhereItNeedsNoAnswer() {
        try (TestGateway gateway = new TestGateway()) {
            for (String origin : new String[] {"https://evil.example", "null", "http://localhost.evil.example"}) {
                HttpResponse<String> response = gateway.send("POST", "/v1/workers/0/restart", null, "origin", origin);
                assertThat(response.statusCode()).as(origin).isEqualTo(403);
            }
            assertThat(gateway.send("POST", "/v1/workers/0/restart", null, "origin", "http://localhost:3000")
                            .statusCode())
                    .isEqualTo(202);
        }
    }

    @Test
    void withKeysTheKeyDecides(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(
                directory.resolve("keys.yaml"),
                // Of the key "key".
                "keys:\n  - {sha256: 2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683, owner: alice, rights: [read]}\n");
        try (TestGateway gateway = new TestGateway(ApiKeys.load(file))) {
            assertThat(jobs(gateway, "memories.example\r\nx-recallgate-key: key"))
                    .startsWith("HTTP/1.1 200 ");
        }
    }

    private static String jobs(TestGateway gateway, String host) throws IOException {
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream()
                    .write(("GET /v1/jobs HTTP/1.1\r\nhost: " + host + "\r\nconnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
