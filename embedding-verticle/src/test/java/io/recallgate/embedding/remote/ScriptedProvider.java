package io.recallgate.embedding.remote;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A provider that speaks OpenAI's {@code /v1/embeddings} on a port of its own, does what the test says, and remembers
 * what it was asked. Its vectors count the words of a text, so that texts with the same words are near. Thread-safe.
 */
public final class ScriptedProvider implements AutoCloseable {

    /** One request as it came. */
    public record Asked(
            JsonObject body,
            @Nullable String authorization,
            @Nullable String traceparent) {
        /** The texts, in order; token ids as they are written. */
        public List<String> texts() {
            return body.getJsonArray("input").stream().map(String::valueOf).toList();
        }
    }

    @FunctionalInterface
    private interface Script {
        void answer(HttpServerRequest request, JsonObject body);
    }

    /** Every request that arrived whole, in order. */
    public final List<Asked> asked = new CopyOnWriteArrayList<>();

    private static final Pattern WORD_ENDS = Pattern.compile("\\W+");

    private final Vertx vertx = Vertx.vertx();
    private final int dimensions;
    private final AtomicInteger disconnects = new AtomicInteger();
    private final Queue<Runnable> stalled = new ConcurrentLinkedQueue<>();
    private volatile Script script = this::vectors;
    private HttpServer server;
    private final int port;

    private ScriptedProvider(int dimensions) {
        this.dimensions = dimensions;
        this.server = listen(0);
        this.port = server.actualPort();
    }

    /** Listens on a free port of the loopback address, and answers with vectors. */
    public static ScriptedProvider start(int dimensions) {
        return new ScriptedProvider(dimensions);
    }

    /** What is configured as its base URL. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + port + "/v1");
    }

    /** Vectors from now on, as a healthy provider. */
    public void answers() {
        script = this::vectors;
    }

    /** Takes requests and does not answer, not even when its client has gone, until {@link #release}. */
    public void stalls() {
        script = (request, body) -> {
            // On the context that hears of a client that goes: in between, it could be gone and not be known to be.
            Context context = Vertx.currentContext();
            stalled.add(() -> context.runOnContext(ignored -> vectors(request, body)));
        };
    }

    /** Answers all requests that it left waiting. */
    public void release() {
        for (Runnable answer = stalled.poll(); answer != null; answer = stalled.poll()) {
            answer.run();
        }
    }

    /** Answers with a status and an error object. */
    public void fails(int status, String code, String message) {
        script = (request, body) -> request.response()
                .setStatusCode(status)
                .putHeader("retry-after", "7")
                .end(new JsonObject()
                        .put("error", new JsonObject().put("message", message).put("code", code))
                        .toBuffer());
    }

    /** Answers with this body and 200. */
    public void says(String body) {
        script = (request, ignored) -> request.response().end(body);
    }

    /** Vectors of another dimension. */
    public void answersWithDimensions(int other) {
        script =
                (request, body) -> request.response().end(answer(body, other, 0).toBuffer());
    }

    /** A vector more than was asked for, or fewer if it is negative. */
    public void answersWithCountOff(int by) {
        script = (request, body) ->
                request.response().end(answer(body, dimensions, by).toBuffer());
    }

    /** Breaks off in the middle of its answer. */
    public void dropsMidBody() {
        script = (request, body) -> {
            Buffer whole = answer(body, dimensions, 0).toBuffer();
            request.response().putHeader("content-length", String.valueOf(whole.length()));
            request.response().write(whole.getBuffer(0, whole.length() / 2)).onComplete(written -> request.connection()
                    .close());
        };
    }

    /** Begins its answer and never ends it. */
    public void answersHalf() {
        script = (request, body) -> {
            Buffer whole = answer(body, dimensions, 0).toBuffer();
            request.response().putHeader("content-length", String.valueOf(whole.length()));
            request.response().write(whole.getBuffer(0, whole.length() / 2));
        };
    }

    /** A correct answer with so many bytes of something else before the vectors. */
    public void answersWithPadding(int bytes) {
        script = (request, body) -> {
            JsonObject padded = new JsonObject().put("padding", "x".repeat(bytes));
            padded.mergeIn(answer(body, dimensions, 0));
            request.response().end(padded.toBuffer());
        };
    }

    /** Refuses connections, and breaks those that are open. */
    public void refuses() {
        join(server.close());
        // A closed server's socket takes connections until its selector has looked once more, and breaks them then.
        while (takesConnections()) {
            LockSupport.parkNanos(100_000);
        }
    }

    private boolean takesConnections() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    /** Listens again, on the same port. */
    public void recovers() {
        answers();
        server = listen(port);
    }

    /** Requests that came so far. */
    public int count() {
        return asked.size();
    }

    /** Requests with this text among theirs. */
    public long count(String text) {
        return asked.stream().filter(request -> request.texts().contains(text)).count();
    }

    /** Requests whose client was gone before the answer was. */
    public int disconnects() {
        return disconnects.get();
    }

    @Override
    public void close() {
        join(vertx.close());
    }

    private HttpServer listen(int onPort) {
        return join(vertx.createHttpServer().requestHandler(this::take).listen(onPort, "127.0.0.1"));
    }

    private void take(HttpServerRequest request) {
        if (!request.path().equals("/v1/embeddings")) {
            request.response().setStatusCode(404).end();
            return;
        }
        HttpServerResponse response = request.response();
        response.closeHandler(closed -> {
            if (!response.ended()) {
                disconnects.incrementAndGet();
            }
        });
        response.exceptionHandler(gone -> {});
        request.bodyHandler(bytes -> {
            JsonObject body = bytes.toJsonObject();
            asked.add(new Asked(body, request.getHeader("authorization"), request.getHeader("traceparent")));
            script.answer(request, body);
        });
    }

    private void vectors(HttpServerRequest request, JsonObject body) {
        if (!request.response().closed()) {
            request.response().end(answer(body, dimensions, 0).toBuffer());
        }
    }

    private static JsonObject answer(JsonObject request, int dimensions, int countOff) {
        JsonArray inputs = request.getJsonArray("input");
        JsonArray data = new JsonArray();
        for (int i = 0; i < inputs.size() + countOff; i++) {
            JsonArray vector = new JsonArray();
            for (float value : vector(String.valueOf(inputs.getValue(Math.min(i, inputs.size() - 1))), dimensions)) {
                vector.add(value);
            }
            data.add(new JsonObject().put("object", "embedding").put("index", i).put("embedding", vector));
        }
        int tokens = 7 * inputs.size();
        return new JsonObject()
                .put("object", "list")
                .put("data", data)
                .put("model", request.getString("model"))
                .put("usage", new JsonObject().put("prompt_tokens", tokens).put("total_tokens", tokens));
    }

    /** Counts words by their hash; not of unit length, as with some servers. */
    private static float[] vector(String text, int dimensions) {
        float[] vector = new float[dimensions];
        vector[0] = 0.5f;
        for (String word : WORD_ENDS.split(text.toLowerCase(Locale.ROOT), -1)) {
            if (!word.isEmpty()) {
                vector[Math.floorMod(word.hashCode(), dimensions)] += 1;
            }
        }
        return vector;
    }

    private static <T> T join(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
