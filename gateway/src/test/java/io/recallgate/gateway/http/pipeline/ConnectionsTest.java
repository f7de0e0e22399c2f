package io.recallgate.gateway.http.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.time.FakeClock;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections are bounded in number, and silent ones in time. */
@Timeout(300)
class ConnectionsTest {

    private final Vertx vertx = Vertx.vertx();
    private final FakeClock clock = new FakeClock();
    private final Connections connections = new Connections(clock, 2);
    private int port;

    @BeforeEach
    void listen() throws Exception {
        HttpServer server = vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false))
                .connectionHandler(connections::opened)
                .requestHandler(request -> {
                    connections.heard(request.connection());
                    request.response().end("yes");
                });
        port = server.listen(0, "127.0.0.1").await(60, TimeUnit.SECONDS).actualPort();
    }

    @AfterEach
    void close() throws Exception {
        vertx.close().await(60, TimeUnit.SECONDS);
        assertThat(clock.pending()).isZero();
    }

    @Test
    void oneTooManyIsClosedAndItsPlaceComesBackWithAnother() throws Exception {
        Socket first = asked();
        try (Socket second = asked();
                Socket third = connect()) {
            assertThat(third.getInputStream().read()).isEqualTo(-1);
            assertThat(connections.open()).isEqualTo(2);

            first.close();
            until(1);
            asked().close();
            assertThat(second.isConnected()).isTrue();
        }
    }

    @Test
    void oneThatNeverAsksIsClosedAndOneThatAskedStays() throws Exception {
        try (Socket silent = connect();
                Socket asked = asked()) {
            until(2);
            clock.advanceMillis(Connections.FIRST_REQUEST_MILLIS);

            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            ask(asked);
        }
    }

    private Socket asked() throws IOException {
        Socket socket = connect();
        ask(socket);
        return socket;
    }

    private static void ask(Socket socket) throws IOException {
        socket.getOutputStream().write("GET / HTTP/1.1\r\nhost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] answer = socket.getInputStream().readNBytes("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyes".length());
        assertThat(new String(answer, StandardCharsets.US_ASCII))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith("yes");
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private void until(int open) {
        while (connections.open() != open) {
            Thread.onSpinWait();
        }
    }
}
