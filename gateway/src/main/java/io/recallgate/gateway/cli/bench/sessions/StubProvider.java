package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.time.Clock;
import io.recallgate.time.SystemClock;
import io.recallgate.time.Timers;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A provider of both protocols that answers what a header of the request asks for, keeps what it was sent until it is fetched,
 * and says how long it took over it. A process of its own, so that it shares no heap and no event loop with the gateway or with
 * who measures; it ends when its standard input does, and so never outlives who started it.
 */
public final class StubProvider {

    /** What to answer: {@link AgentReply#wire}, or {@code stream EVENTS EVERY_MILLIS}; a short answer in one piece without it. */
    static final String REPLY = "x-bench-reply";

    /** As an answer: none, ever. */
    static final String SILENT = "silent";

    /** Under which key to tell when the request is there and when its connection ends. */
    static final String WATCH = "x-bench-watch";

    /** Answers once the watched request is there. */
    static final String ARRIVED_PATH = "/bench/arrived/";

    /** Answers once the watched request's connection has ended. */
    static final String ENDED_PATH = "/bench/ended/";

    /** Under which key to keep the body; without it none is kept. */
    static final String KEEP = "x-bench-keep";

    /** Of an answer: microseconds from the request's last byte to the head of the answer. */
    static final String HELD = "x-bench-held-us";

    /** Where a kept body is fetched, once. */
    static final String KEPT_PATH = "/bench/kept/";

    /** How the line with its port begins. */
    static final String LISTENING = "listening on ";

    private static final String SHORT_ANSWER = "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1,"
            + "\"model\":\"gpt-4o\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Well, thanks.\"},"
            + "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":3,\"total_tokens\":4}}";

    private static final int STEPS = 1_000;
    private static final int MAX_KEPT = 64;
    private static final long BOUND_SECONDS = 30;

    private final Clock clock = SystemClock.INSTANCE;
    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Timers timers = new VertxTimers(vertx);
    /** On the one event loop. */
    private final Map<String, Buffer> kept = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Buffer> eldest) {
            return size() > MAX_KEPT;
        }
    };

    /** On the one event loop, by path. */
    private final Map<String, Promise<Void>> watched = new LinkedHashMap<>();

    private StubProvider() {}

    /** Serves until the standard input ends. */
    public static void main(String[] arguments)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        StubProvider provider = new StubProvider();
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        out.println(LISTENING + provider.listen());
        InputStream in = System.in;
        while (in.read() >= 0) {
            // Nobody says anything.
        }
        provider.vertx.close().toCompletionStage().toCompletableFuture().get(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    private int listen() throws InterruptedException, ExecutionException, TimeoutException {
        HttpServer server = vertx.createHttpServer(
                new HttpServerOptions().setMaxHeaderSize(64 * 1024).setTcpNoDelay(true));
        return server.requestHandler(this::handle)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(BOUND_SECONDS, TimeUnit.SECONDS)
                .actualPort();
    }

    private void handle(HttpServerRequest request) {
        if (request.path().startsWith(KEPT_PATH)) {
            Buffer body =
                    kept.remove(request.path().substring(KEPT_PATH.length()).replace('_', '/'));
            HttpServerResponse response = request.response();
            if (body == null) {
                response.setStatusCode(404).end();
            } else {
                response.end(body);
            }
            return;
        }
        if (request.path().startsWith(ARRIVED_PATH) || request.path().startsWith(ENDED_PATH)) {
            watched(request.path()).future().onComplete(seen -> {
                watched.remove(request.path());
                request.response().end();
            });
            return;
        }
        String watch = request.getHeader(WATCH);
        if (watch != null) {
            request.connection()
                    .closeHandler(ended -> watched(ENDED_PATH + watch).tryComplete());
            watched(ARRIVED_PATH + watch).tryComplete();
        }
        // A client that leaves is no matter of ours.
        request.exceptionHandler(gone -> {});
        request.response().exceptionHandler(gone -> {});
        request.body().onSuccess(body -> answer(request, body, clock.nanoTime()));
    }

    private void answer(HttpServerRequest request, Buffer body, long arrivedNanos) {
        String keep = request.getHeader(KEEP);
        if (keep != null) {
            kept.put(keep, body);
        }
        String reply = request.getHeader(REPLY);
        HttpServerResponse response = request.response();
        if (reply == null) {
            response.putHeader("content-type", "application/json").end(SHORT_ANSWER);
            return;
        }
        if (reply.equals(SILENT)) {
            return;
        }
        response.putHeader("content-type", "text/event-stream; charset=utf-8").setChunked(true);
        if (reply.startsWith("stream ")) {
            String[] words = reply.split(" ", -1);
            response.putHeader(HELD, held(arrivedNanos));
            long everyNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[2]));
            response.writeHead();
            // Nobody's streams keep step.
            long first = everyNanos * Math.floorMod(body.hashCode(), STEPS) / STEPS;
            timers.schedule(first, () -> stream(response, 0, Integer.parseInt(words[1]), everyNanos));
            return;
        }
        List<String> events = protocol(request).events(AgentReply.ofWire(reply));
        response.putHeader(HELD, held(arrivedNanos));
        events.subList(0, events.size() - 1).forEach(response::write);
        response.end(events.get(events.size() - 1));
    }

    private Promise<Void> watched(String path) {
        return watched.computeIfAbsent(path, first -> Promise.promise());
    }

    private String held(long arrivedNanos) {
        return Long.toString(TimeUnit.NANOSECONDS.toMicros(clock.nanoTime() - arrivedNanos));
    }

    private static ClientProtocol protocol(HttpServerRequest request) {
        return request.path().equals(ClientProtocol.ANTHROPIC.path())
                ? ClientProtocol.ANTHROPIC
                : ClientProtocol.OPENAI;
    }

    /** One of a paced stream's events; the last one says so. */
    static String event(int index, int events) {
        return "data: {\"event\":" + index + ",\"of\":" + events + ",\"pad\":\"" + "x".repeat(64) + "\"}\n\n";
    }

    private void stream(HttpServerResponse response, int index, int events, long everyNanos) {
        if (response.closed()) {
            return;
        }
        if (index == events) {
            response.end();
            return;
        }
        response.write(event(index, events));
        timers.schedule(everyNanos, () -> stream(response, index + 1, events, everyNanos));
    }

    /** What a body is fetched by: keys have slashes. */
    static String keptPath(String key) {
        return KEPT_PATH + key.replace('/', '_');
    }

    /** For whoever reads the line with the port; null for another line. */
    static @Nullable Integer port(String line) {
        return line.startsWith(LISTENING) ? Integer.valueOf(line.substring(LISTENING.length())) : null;
    }
}
