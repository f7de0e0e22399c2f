package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.measure.Spans;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Clients that leave, and how long after that the provider sees its connection end. The span has the way of a question to the
 * provider in it, so it is an upper bound. Used by one thread.
 */
final class LeavingLoad {

    private static final int LIMIT_MILLIS = 30_000;
    private static final byte[] NOTHING = new byte[0];

    private final BenchContext context;

    LeavingLoad(BenchContext context) {
        this.context = context;
    }

    /** Leaves {@code times} times before the first byte, and as often between two. */
    RelayBench.Leaving run(URI gateway, URI provider, int times) {
        Spans before = new Spans();
        Spans between = new Spans();
        try (PlainHttp watch = new PlainHttp(provider);
                Progress progress = new Progress(context.screen(), context.clock(), "clients that leave")) {
            for (int i = 0; i < 2 * times; i++) {
                boolean begun = i % 2 == 1;
                (begun ? between : before).add(leave(gateway, watch, "leaving-" + i, begun));
                progress.show(i + 1, 2L * times, "clients");
                if (Thread.currentThread().isInterrupted()) {
                    throw new CommandFailedException("interrupted while measuring");
                }
            }
        }
        return new RelayBench.Leaving(before, between);
    }

    private long leave(URI gateway, PlainHttp watch, String key, boolean begun) {
        String body = "{\"model\":\"gpt-4o\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
        String request = "POST " + ClientProtocol.OPENAI.path() + " HTTP/1.1\r\nhost: " + gateway.getHost() + ":"
                + gateway.getPort() + "\r\ncontent-type: application/json\r\nx-recallgate-memory: off\r\n"
                + StubProvider.WATCH + ": " + key + "\r\n" + StubProvider.REPLY + ": "
                + (begun ? "stream 100000 10" : StubProvider.SILENT) + "\r\ncontent-length: " + body.length()
                + "\r\n\r\n" + body;
        long left;
        try (Socket socket = new Socket(InetAddress.getByName(gateway.getHost()), gateway.getPort())) {
            socket.setSoTimeout(LIMIT_MILLIS);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            watch.post(StubProvider.ARRIVED_PATH + key, NOTHING, Map.of());
            if (begun && socket.getInputStream().read() < 0) {
                throw new CommandFailedException("the gateway ended a stream");
            }
            left = context.clock().nanoTime();
        } catch (IOException e) {
            throw new CommandFailedException("the connection to the gateway broke: " + e.getMessage(), e);
        }
        watch.post(StubProvider.ENDED_PATH + key, NOTHING, Map.of());
        return context.clock().nanoTime() - left;
    }
}
