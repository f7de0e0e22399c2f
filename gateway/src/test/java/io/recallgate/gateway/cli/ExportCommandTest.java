package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.GatewayStub.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportCommandTest {

    private static final String LINES = "{\"content\":\"京都\"}\n{\"content\":\"b\"}\n";

    @TempDir
    Path directory;

    private final CommandLineRun line = new CommandLineRun();

    private int run(GatewayStub gateway, String... arguments) {
        line.environment.put("RECALLGATE_URL", gateway.url());
        return line.run(arguments);
    }

    @Test
    void theLinesGoToStandardOutputAsTheyAre() throws IOException {
        try (GatewayStub gateway = new GatewayStub().on("GET /v1/export", new Reply(200, LINES, Map.of()))) {
            assertThat(run(gateway, "export", "--session", "a & b")).isZero();

            assertThat(line.out()).isEqualTo(LINES);
            assertThat(gateway.requests("GET /v1/export").get(0).query()).isEqualTo("session=a & b");
        }
    }

    @Test
    void aFileIsReplacedByAWholeOne() throws IOException {
        Path file = Files.writeString(directory.resolve("a.ndjson"), "old");
        try (GatewayStub gateway = new GatewayStub().on("GET /v1/export", new Reply(200, LINES, Map.of()))) {
            assertThat(run(gateway, "export", "-o", file.toString())).isZero();
        }

        assertThat(file).hasContent(LINES.strip());
        assertThat(directory.toFile().list()).containsExactly("a.ndjson");
    }

    @Test
    void aRefusalIsOneLineAndNoFile() throws IOException {
        Path file = directory.resolve("a.ndjson");
        try (GatewayStub gateway =
                new GatewayStub().on("GET /v1/export", Reply.problem(503, "database-unavailable", "out of reach"))) {
            assertThat(run(gateway, "export", "-o", file.toString())).isEqualTo(1);
        }

        assertThat(line.err()).contains("out of reach").hasLineCount(1);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void anAnswerThatIsCutLeavesTheOldFileAndFails() throws Exception {
        Path file = Files.writeString(directory.resolve("a.ndjson"), "old");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread cutting = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    while (socket.getInputStream().read() != '\n') {
                        // The request line is enough of the request.
                    }
                    socket.getOutputStream()
                            .write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{}{}\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            cutting.start();
            line.environment.put("RECALLGATE_URL", "http://127.0.0.1:" + server.getLocalPort());

            assertThat(line.run("export", "-o", file.toString())).isEqualTo(1);

            cutting.join();
        }
        assertThat(line.err()).contains("what arrived is not whole");
        assertThat(file).hasContent("old");
        assertThat(directory.toFile().list()).containsExactly("a.ndjson");
    }
}
