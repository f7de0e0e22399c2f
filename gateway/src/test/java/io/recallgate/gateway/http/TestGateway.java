package io.recallgate.gateway.http;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.gateway.config.ApiKeys;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.http.transfer.TransferOptions;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes behind a real server on a free port, with scripted services, and a client for it. */
final class TestGateway implements AutoCloseable {

    private static final long METRIC_MILLIS = 60_000;

    final Vertx vertx = Vertx.vertx();
    final ScriptedRuntime runtime = new ScriptedRuntime(vertx);
    final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    final HttpApi api;
    final int port;
    final CountingTimers timers;
    /** How long an answer is waited for. */
    volatile Duration patience = Duration.ofSeconds(60);

    volatile HttpOptions options = HttpOptions.DEFAULTS;

    private final HttpServer server;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(60))
            .build();

    TestGateway() {
        this((ApiKeys) null);
    }

    TestGateway(@Nullable ApiKeys keys) {
        this(keys, TransferOptions.DEFAULTS);
    }

    TestGateway(@Nullable ApiKeys keys, TransferOptions transfers) {
        this(transfers, keys == null ? null : () -> keys);
    }

    /** With keys that may change while it serves. */
    TestGateway(TransferOptions transfers, @Nullable Supplier<ApiKeys> keys) {
        this(transfers, keys, ScriptedRuntime.CONVERSATION);
    }

    /** For conversations. */
    TestGateway(RecallgateConfig.Conversation conversation) {
        this(TransferOptions.DEFAULTS, null, conversation);
    }

    private TestGateway(
            TransferOptions transfers, @Nullable Supplier<ApiKeys> keys, RecallgateConfig.Conversation conversation) {
        timers = new CountingTimers(new VertxTimers(vertx));
        runtime.conversation = conversation;
        api = HttpApi.create(
                vertx,
                runtime,
                new HttpEnvironment(SystemClock.INSTANCE, timers, registry, keys, "127.0.0.1"),
                () -> options,
                transfers);
        server =
                await(api.serve(vertx.createHttpServer(HttpApi.serverOptions())).listen(0, "127.0.0.1"));
        port = server.actualPort();
    }

    HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, null, headers);
    }

    HttpResponse<String> post(String path, String body, String... headers) {
        return send("POST", path, body, headers);
    }

    HttpResponse<String> post(String path, JsonObject body, String... headers) {
        return send("POST", path, body.encode(), headers);
    }

    /** Sends {@code body} as JSON unless the headers say something else. */
    HttpResponse<String> send(String method, String path, @Nullable String body, String... headers) {
        return stream(method, path, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body), headers);
    }

    HttpResponse<String> stream(String method, String path, HttpRequest.BodyPublisher body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(patience)
                .method(method, body)
                .setHeader("content-type", "application/json");
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError("no answer to " + method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** A bare connection, for what no decent client would send. */
    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        return socket;
    }

    /** All requests have ended, and nothing of a body is held any more. */
    void placesComeBack() {
        awaitMetric("recallgate_http_requests_in_flight 0.0");
        awaitMetric("recallgate_http_buffered_bytes 0.0");
    }

    /**
     * Asks until a line with this is there: each question is a round trip, so this does not spin. What has not happened yet is
     * there as well, with zero: a line is taken with that value only when it was asked for with it.
     */
    void awaitMetric(String part) {
        Deadline deadline = Deadline.afterMillis(SystemClock.INSTANCE, METRIC_MILLIS);
        String scraped;
        do {
            scraped = get("/metrics").body();
            if (scraped.lines().anyMatch(line -> line.contains(part) && (line.endsWith(part) || !isZero(line)))) {
                return;
            }
        } while (!deadline.isPassed());
        throw new AssertionError(part + " was never there in\n" + scraped);
    }

    private static boolean isZero(String line) {
        return line.endsWith(" 0.0") || line.endsWith(" 0");
    }

    static JsonObject json(HttpResponse<String> response) {
        return new JsonObject(response.body());
    }

    static <T> T await(Future<T> future) {
        try {
            return future.await(60, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("not settled within 60 s", e);
        }
    }

    @Override
    public void close() {
        await(api.close());
        await(vertx.close());
    }
}
