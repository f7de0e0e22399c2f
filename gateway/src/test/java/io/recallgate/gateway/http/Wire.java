package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** HTTP as a client might write it, byte by byte, for what no decent client would send. */
final class Wire {

    static final String EMBEDDING = "{\"model\":\"e5-small-v2-q\",\"input\":\"x\"}";
    static final String QUERY = "{\"query\":\"x\"}";
    static final String LIVE = "GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n";

    private Wire() {}

    static String head(String request, String... headers) {
        return request + " HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                + String.join("\r\n", headers) + "\r\n\r\n";
    }

    static String post(String path, String body) {
        return head("POST " + path, "content-length: " + body.length()) + body;
    }

    static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    static void sendInBackground(Socket socket, String text) {
        Thread sender = new Thread(() -> {
            try {
                send(socket, text);
            } catch (IOException e) {
                // The reader finds out.
            }
        });
        sender.setDaemon(true);
        sender.start();
    }

    static String statusLine(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n' && c != -1; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** What reaches a service next. */
    static <T> T next(BlockingQueue<T> reached) throws InterruptedException {
        return Objects.requireNonNull(reached.poll(60, TimeUnit.SECONDS), "nothing reached the service");
    }

    /** One answer with a length, or in chunks. */
    record Answer(int status, String head, String body) {

        static Answer read(Socket socket) throws IOException {
            InputStream in = socket.getInputStream();
            StringBuilder head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                int c = in.read();
                assertThat(c).as("a byte of a head after " + head).isNotEqualTo(-1);
                head.append((char) c);
            }
            int length = head.toString()
                    .lines()
                    .filter(line -> line.startsWith("content-length: "))
                    .mapToInt(line -> Integer.parseInt(line.substring(16)))
                    .findFirst()
                    .orElse(0);
            return new Answer(
                    Integer.parseInt(head.substring(9, 12)),
                    head.toString(),
                    new String(in.readNBytes(length), StandardCharsets.UTF_8));
        }
    }
}
