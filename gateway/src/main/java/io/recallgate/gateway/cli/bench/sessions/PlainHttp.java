package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.console.CommandFailedException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/**
 * The least of an HTTP client: one connection, one request at a time, on the calling thread. What is measured through it has no
 * other thread's wake-up in it. Used by one thread.
 */
final class PlainHttp implements AutoCloseable {

    private static final int LIMIT_MILLIS = 60_000;
    private static final int LINE_BYTES = 64 * 1024;

    private final Socket socket;
    private final InputStream in;
    private final String host;

    PlainHttp(URI server) {
        host = server.getHost() + ":" + server.getPort();
        try {
            socket = new Socket(InetAddress.getByName(server.getHost()), server.getPort());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(LIMIT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
        } catch (IOException e) {
            throw new CommandFailedException("nothing answers at " + server + ": " + e.getMessage(), e);
        }
    }

    /** POST of JSON; returns once the whole answer is there. */
    void post(String path, byte[] body, Map<String, String> headers) {
        StringBuilder head = new StringBuilder("POST " + path + " HTTP/1.1\r\nhost: " + host
                + "\r\ncontent-type: application/json\r\ncontent-length: " + body.length + "\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[start.length + body.length];
        System.arraycopy(start, 0, all, 0, start.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        try {
            socket.getOutputStream().write(all);
            read(path);
        } catch (IOException e) {
            throw new CommandFailedException("the connection to " + host + " broke: " + e.getMessage(), e);
        }
    }

    private void read(String path) throws IOException {
        String status = line();
        long length = -1;
        boolean chunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Long.parseLong(lower.substring(lower.indexOf(':') + 1).strip());
            } else if (lower.startsWith("transfer-encoding:")) {
                chunked = lower.contains("chunked");
            }
        }
        if (chunked) {
            for (int size = size(); size > 0; size = size()) {
                in.skipNBytes(size);
                line();
            }
            line();
        } else if (length > 0) {
            in.skipNBytes(length);
        }
        if (!status.contains(" 200")) {
            throw new CommandFailedException(host + path + " answered " + status);
        }
    }

    private int size() throws IOException {
        String line = line();
        int end = line.indexOf(';');
        return Integer.parseInt(end < 0 ? line : line.substring(0, end), 16);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0 || line.length() > LINE_BYTES) {
                throw new IOException("no whole answer");
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new CommandFailedException("the connection to " + host + " does not close: " + e.getMessage(), e);
        }
    }
}
