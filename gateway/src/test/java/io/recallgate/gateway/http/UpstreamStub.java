package io.recallgate.gateway.http;

import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.conversation.prepare.PreparationOptions;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.upstream.UpstreamOptions;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A provider on a free port that answers as a test says, and tells what it was sent. */
final class UpstreamStub implements AutoCloseable {

    /** One request, whole. */
    record Received(
            String target, MultiMap headers, Buffer body, CompletableFuture<Void> closed, HttpConnection connection) {

        /** The connection ends, whatever was to come. */
        void cut() {
            connection.close();
        }
    }

    final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    /** What to answer once the request has come whole. */
    volatile BiConsumer<Received, HttpServerResponse> answer = (request, response) ->
            response.putHeader("content-type", "application/json").end("{\"ok\":true}");
    /** What to do with a request before its body is read; reads it whole and then answers, unless a test says otherwise. */
    volatile Consumer<HttpServerRequest> onHead = this::readAndAnswer;

    final int port;
    private final Vertx vertx = Vertx.vertx();

    UpstreamStub() {
        this(new HttpServerOptions());
    }

    UpstreamStub(HttpServerOptions options) {
        HttpServer server = vertx.createHttpServer(options.setMaxHeaderSize(64 * 1024))
                .requestHandler(request -> onHead.accept(request));
        port = TestGateway.await(server.listen(0, "127.0.0.1")).actualPort();
    }

    void readAndAnswer(HttpServerRequest request) {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        request.connection().closeHandler(ended -> closed.complete(null));
        // The connection may end before.
        request.body()
                .onSuccess(body -> {
                    Received whole = new Received(request.uri(), request.headers(), body, closed, request.connection());
                    received.add(whole);
                    answer.accept(whole, request.response());
                })
                .onFailure(early -> closed.complete(null));
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** The usual bounds, with this as the provider of both protocols. */
    RecallgateConfig.Conversation conversation() {
        return conversation(60_000, 60_000);
    }

    RecallgateConfig.Conversation conversation(long firstByteMillis, long silenceMillis) {
        return conversation(new UpstreamOptions(false, url(), url(), 5_000, firstByteMillis, silenceMillis));
    }

    static RecallgateConfig.Conversation conversation(UpstreamOptions upstream) {
        return new RecallgateConfig.Conversation(
                ScriptedRuntime.CONVERSATION.admission(), upstream, PreparationOptions.DEFAULTS);
    }

    Received next() throws InterruptedException {
        return Wire.next(received);
    }

    /** Where a protocol's clients ask. */
    static String path(Protocol protocol) {
        return protocol == Protocol.OPENAI ? "/v1/chat/completions" : "/v1/messages";
    }

    /** A stream that has begun. */
    static HttpServerResponse stream(HttpServerResponse response) {
        return response.setChunked(true).putHeader("content-type", "text/event-stream; charset=utf-8");
    }

    @Override
    public void close() {
        TestGateway.await(vertx.close());
    }
}
