package io.recallgate.embedding.remote;

import io.netty.channel.ConnectTimeoutException;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.trace.CallContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the provider over HTTP/1.1. Sends each once: no retry, no redirect. Confined to the context that makes it.
 */
final class ProviderClient {

    /** A connection that was idle for longer may be closed by the other side in the moment it is used again. */
    private static final int KEEP_ALIVE_SECONDS = 30;

    private final HttpClient client;
    private final RemoteOptions options;
    private final RequestOptions request;

    ProviderClient(Vertx vertx, RemoteOptions options) {
        this.options = options;
        int connectMillis = Math.toIntExact(options.bounds().connect().toMillis());
        client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout(connectMillis)
                        .setSslHandshakeTimeout(connectMillis)
                        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                        .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                        // An answer of a few bytes could unpack to gigabytes.
                        .setDecompressionSupported(false),
                // Who may use a connection is decided before; this pool never has anybody waiting for long.
                new PoolOptions()
                        .setHttp1MaxSize(options.bounds().connections())
                        .setMaxWaitQueueSize(options.bounds().connections()));
        request = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(options.server().endpoint().toString())
                .setFollowRedirects(false)
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .putHeader(HttpHeaders.ACCEPT, "application/json")
                .putHeader(HttpHeaders.USER_AGENT, "recallgate");
        options.server().apiKey().ifPresent(key -> request.putHeader(HttpHeaders.AUTHORIZATION, "Bearer " + key));
    }

    /**
     * What came back whole.
     *
     * @param status of HTTP
     * @param retryAfter the header, null if there is none
     * @param body at most as large as was asked for
     */
    record Answer(int status, @Nullable String retryAfter, Buffer body) {}

    /**
     * Sends a request.
     *
     * @param maxBytes of the answer's body
     * @param call whose trace the provider is told, null for none
     */
    Exchange send(Buffer body, long maxBytes, @Nullable CallContext call) {
        Exchange exchange = new Exchange(maxBytes, options.bounds().connect());
        client.request(new RequestOptions(request)).onComplete(made -> {
            if (made.failed()) {
                exchange.unreachable(made.cause());
            } else {
                if (call != null) {
                    call.tell(made.result().headers());
                }
                exchange.send(made.result(), body);
            }
        });
        return exchange;
    }

    /** Closes all connections. */
    Future<Void> close() {
        return client.close();
    }

    /** One request on its way. */
    static final class Exchange {
        private final long maxBytes;
        private final Duration connect;
        private final Promise<Answer> answer = Promise.promise();
        private @Nullable HttpClientRequest request;
        private boolean over;

        private Exchange(long maxBytes, Duration connect) {
            this.maxBytes = maxBytes;
            this.connect = connect;
        }

        /**
         * The answer, whatever its status.
         *
         * @return fails with {@code embedding-unavailable} if there was no connection, with {@code embedding-failed} if
         *     it broke off or the answer is too large; never completes once it was {@link #reset}
         */
        Future<Answer> answer() {
            return answer.future();
        }

        /** Closes its connection; one that has none yet is closed as soon as it has. */
        void reset() {
            over = true;
            if (request != null) {
                request.reset();
            }
        }

        private void unreachable(Throwable error) {
            if (!over) {
                over = true;
                answer.fail(new FailureException(FailureCode.EMBEDDING_UNAVAILABLE, reason(error, connect)));
            }
        }

        private void send(HttpClientRequest made, Buffer body) {
            request = made;
            if (over) {
                made.reset();
                return;
            }
            made.send(body).onComplete(response -> {
                if (response.succeeded()) {
                    receive(response.result());
                } else {
                    brokeOff();
                }
            });
        }

        private void receive(HttpClientResponse response) {
            Buffer received = Buffer.buffer();
            response.exceptionHandler(error -> brokeOff())
                    .handler(chunk -> {
                        if (received.length() + chunk.length() > maxBytes) {
                            fail("the embedding provider's answer has more than " + maxBytes + " bytes");
                            reset();
                        } else if (!over) {
                            received.appendBuffer(chunk);
                        }
                    })
                    .endHandler(end -> {
                        if (!over) {
                            over = true;
                            answer.complete(new Answer(
                                    response.statusCode(), response.getHeader(HttpHeaders.RETRY_AFTER), received));
                        }
                    });
        }

        private void brokeOff() {
            fail("the embedding provider broke the connection off before its answer was complete");
        }

        private void fail(String detail) {
            if (!over) {
                over = true;
                answer.fail(new FailureException(FailureCode.EMBEDDING_FAILED, detail));
            }
        }

        /** For people, without what the exception says: that names addresses of the operator's network. */
        private static String reason(Throwable error, Duration connect) {
            if (error instanceof ConnectTimeoutException) {
                return "no connection to the embedding provider within " + connect.toMillis() + " ms";
            }
            if (error instanceof UnknownHostException) {
                return "the name of the embedding provider's host is not known";
            }
            if (error instanceof SSLException) {
                return "no secure connection to the embedding provider: the handshake failed";
            }
            return error instanceof ConnectException
                    ? "the embedding provider refused the connection"
                    : "the embedding provider cannot be reached ("
                            + error.getClass().getSimpleName() + ")";
        }
    }
}
