package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** A chunked body without an end, sent until the connection closes. */
final class EndlessBody {

    private final Thread sender = new Thread(this::send);
    private final CompletableFuture<Socket> to = new CompletableFuture<>();
    private long sent;

    void sendOn(Socket socket) {
        to.complete(socket);
        sender.setDaemon(true);
        sender.start();
    }

    private void send() {
        ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        chunk.writeBytes("10000\r\n".getBytes(StandardCharsets.US_ASCII));
        chunk.writeBytes(" ".repeat(0x10000).getBytes(StandardCharsets.US_ASCII));
        chunk.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        try {
            var out = to.join().getOutputStream();
            out.write(head("POST /v1/embeddings", "transfer-encoding: chunked").getBytes(StandardCharsets.US_ASCII));
            while (true) {
                chunk.writeTo(out);
                add(chunk.size());
            }
        } catch (IOException closed) {
            add(0);
        }
    }

    private synchronized void add(int bytes) {
        sent += bytes;
        notifyAll();
    }

    synchronized void await(long bytes) throws InterruptedException {
        while (sent < bytes && sender.isAlive()) {
            wait(1_000);
        }
        assertThat(sent).isGreaterThanOrEqualTo(bytes);
    }

    void join() throws InterruptedException {
        sender.join(60_000);
        assertThat(sender.isAlive()).isFalse();
    }
}
