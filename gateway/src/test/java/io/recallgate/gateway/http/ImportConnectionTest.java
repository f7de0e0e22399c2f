package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.ImportRouteTest.NDJSON;
import static io.recallgate.gateway.http.ImportRouteTest.PATH;
import static io.recallgate.gateway.http.ImportRouteTest.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.http.transfer.TransferOptions;
import io.recallgate.gateway.runtime.GatewayRuntime.Phase;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code POST /v1/memories/import} bit by bit: clients that wait, fall silent or leave, and places for them. */
@Timeout(300)
class ImportConnectionTest extends TransferRouteTest {

    @Test
    void moreImportsThanTheBoundAreRefusedForNow() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection first = new Connection(gateway)) {
            first.line("{\"content\":\"a\"}");
            assertThat(first.next().getInteger("stored")).isEqualTo(1);

            HttpResponse<String> second = send(gateway, "");

            assertThat(second.statusCode()).isEqualTo(429);
            assertThat(second.headers().firstValue("retry-after")).hasValue("5");
        }
        awaitPlace(gateway);
    }

    @Test
    void linesDoNotWaitForABatchToFillUp() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection connection = new Connection(gateway)) {
            connection.line("{\"content\":\"a\"}");
            assertThat(connection.next().getInteger("lines")).isEqualTo(1);
            connection.line("{\"content\":\"b\"}");
            assertThat(connection.next().getInteger("lines")).isEqualTo(2);
            connection.end();
            assertThat(connection.next().getBoolean("done")).isTrue();
        }
    }

    @Test
    void aClientThatSendsNothingMoreIsNotWaitedForForEver() throws IOException {
        TestGateway gateway = gateway(new TransferOptions(1, 1, 2_000, 20_000, 20));
        try (Connection silent = new Connection(gateway)) {
            assertThat(silent.status()).isEqualTo(408);
        }
        try (Connection stuck = new Connection(gateway)) {
            stuck.line("{\"content\":\"a\"}");
            assertThat(stuck.next().getInteger("stored")).isEqualTo(1);
            stuck.bytes("{\"cont");
            JsonObject last = stuck.next();
            assertThat(last.getBoolean("done")).isFalse();
            assertThat(last.getString("code")).isEqualTo("body-timeout");
            assertThat(last.getInteger("stored")).isEqualTo(1);
        }
        awaitPlace(gateway);
    }

    @Test
    void aStoppingGatewayEndsAnImportThatIsWaitingForItsClient() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection connection = new Connection(gateway)) {
            connection.line("{\"content\":\"a\"}");
            assertThat(connection.next().getInteger("stored")).isEqualTo(1);

            gateway.runtime.phase = Phase.STOPPING;

            JsonObject last = connection.next();
            assertThat(last.getBoolean("done")).isFalse();
            assertThat(last.getString("code")).isEqualTo("shutting-down");
            assertThat(last.getInteger("lines")).isEqualTo(1);
        }
        gateway.runtime.phase = Phase.READY;
        awaitPlace(gateway);
    }

    @Test
    void aClientThatAsksFirstIsToldToContinueOnlyWhenThereIsAPlace() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection first = new Connection(gateway, "expect: 100-continue")) {
            assertThat(first.status()).isEqualTo(100);
            try (Connection second = new Connection(gateway, "expect: 100-continue")) {
                assertThat(second.status()).isEqualTo(429);
            }
        }
    }

    @Test
    void aClientThatLeavesWhileItIsReadFreesItsPlace() throws IOException {
        TestGateway gateway = gateway(PATIENT);
        try (Connection connection = new Connection(gateway)) {
            connection.bytes("{\"conte");
        }
        awaitPlace(gateway);
        try (Connection connection = new Connection(gateway)) {
            connection.line("{\"content\":\"a\"}");
            assertThat(connection.next().getInteger("stored")).isEqualTo(1);
        }
        awaitPlace(gateway);
    }

    @Test
    void aClientThatLeavesWhileItsBatchIsStoredFreesItsPlaceAfterIt() throws Exception {
        TestGateway gateway = gateway(PATIENT);
        Promise<Void> held = Promise.promise();
        gateway.runtime.memories.restore = memories -> held.future();
        try (Connection connection = new Connection(gateway)) {
            connection.line("{\"content\":\"a\"}");
            assertThat(gateway.runtime.memories.restored.poll(60, TimeUnit.SECONDS))
                    .hasSize(1);
        }
        assertThat(send(gateway, "").statusCode()).isEqualTo(429);

        held.complete();

        awaitPlace(gateway);
        assertThat(gateway.runtime.memories.count()).isEqualTo(1);
    }

    @Test
    void aServiceThatDoesNotAnswerStopsTheReadingOfTheSocket() throws Exception {
        TestGateway gateway = gateway(PATIENT);
        Promise<Void> held = Promise.promise();
        gateway.runtime.memories.restore = memories -> held.future();
        byte[] lines =
                ("{\"content\":\"" + "x".repeat(1_000) + "\"}\n").repeat(1_000).getBytes(StandardCharsets.UTF_8);
        int rounds = 64;
        try (SocketChannel channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port))) {
            channel.write(ByteBuffer.wrap(head(gateway, "content-length: " + (long) rounds * lines.length)));
            channel.configureBlocking(false);
            long written = 0;
            try (Selector selector = Selector.open()) {
                channel.register(selector, SelectionKey.OP_WRITE);
                // Not writable for three seconds: nobody reads at the other end.
                while (written < (long) rounds * lines.length && selector.select(3_000) > 0) {
                    selector.selectedKeys().clear();
                    written += channel.write(ByteBuffer.wrap(
                            lines, (int) (written % lines.length), lines.length - (int) (written % lines.length)));
                }
            }
            // What the kernels on both sides buffer, and no more.
            assertThat(written).isBetween(1L << 20, 40L << 20);
            assertThat(gateway.runtime.memories.restored).hasSize(1);

            held.complete();
            channel.configureBlocking(true);
            while (written < (long) rounds * lines.length) {
                written += channel.write(ByteBuffer.wrap(
                        lines, (int) (written % lines.length), lines.length - (int) (written % lines.length)));
            }
            assertThat(lastLine(channel).getInteger("stored")).isEqualTo(rounds * 1_000);
        }
    }

    private static JsonObject lastLine(SocketChannel channel) throws IOException {
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(channel.socket().getInputStream(), StandardCharsets.UTF_8));
        while (true) {
            String line = reader.readLine();
            if (line.startsWith("{\"done\"")) {
                return new JsonObject(line);
            }
        }
    }

    /** A place is free when an import of nothing passes. */
    private static void awaitPlace(TestGateway gateway) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        int status = 0;
        while (status != 200 && System.nanoTime() < until) {
            status = send(gateway, "").statusCode();
        }
        assertThat(status).isEqualTo(200);
        gateway.awaitMetric("recallgate_http_requests_in_flight 0.0");
    }

    private static byte[] head(TestGateway gateway, String... headers) {
        return ("POST " + PATH + " HTTP/1.1\r\nhost: 127.0.0.1:" + gateway.port + "\r\ncontent-type: " + NDJSON + "\r\n"
                        + String.join("\r\n", headers) + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** A chunked request that is sent and answered bit by bit. */
    private static final class Connection implements AutoCloseable {

        private final Socket socket;
        private final BufferedReader in;

        Connection(TestGateway gateway, String... headers) throws IOException {
            socket = gateway.connect();
            List<String> all = new ArrayList<>(List.of("transfer-encoding: chunked"));
            all.addAll(List.of(headers));
            socket.getOutputStream().write(head(gateway, all.toArray(String[]::new)));
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        void line(String line) throws IOException {
            bytes(line + "\n");
        }

        void bytes(String text) throws IOException {
            socket.getOutputStream()
                    .write((Integer.toHexString(text.length()) + "\r\n" + text + "\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
        }

        void end() throws IOException {
            socket.getOutputStream().write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }

        int status() throws IOException {
            return Integer.parseInt(in.readLine().split(" ", -1)[1]);
        }

        /** The next line of the answer's body. */
        JsonObject next() throws IOException {
            while (true) {
                String line = in.readLine();
                assertThat(line).as("the answer goes on").isNotNull();
                if (line.startsWith("{")) {
                    return new JsonObject(line);
                }
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
