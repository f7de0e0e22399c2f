package io.recallgate.gateway.conversation.upstream;

import io.netty.channel.ConnectTimeoutException;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** One request to a provider. On the event loop that sent it. */
final class ProviderCall implements UpstreamCall {

    /** A piece of the body: with TLS a large one would be encrypted in one go, and hold the event loop for it. */
    private static final int PIECE_BYTES = 64 * 1024;

    private final Time time;
    private final UpstreamOptions options;
    private final UpstreamRequest request;
    private final UpstreamListener listener;

    private CallState state = CallState.CONNECTING;
    private Timers.Timer timer = () -> false;
    private @Nullable HttpClientRequest connected;
    private @Nullable HttpClientResponse response;
    /** Of the body, how many pieces have been sent whole, and how many bytes of the next one. */
    private int piecesSent;

    private int bytesSent;
    private boolean bodySent;
    private boolean paused;
    private long lastHeardNanos;

    /**
     * Where and when.
     *
     * @param context everything happens on
     */
    record Time(Context context, Clock clock, Timers timers) {}

    ProviderCall(Time time, UpstreamOptions options, UpstreamRequest request, UpstreamListener listener) {
        this.time = time;
        this.options = options;
        this.request = request;
        this.listener = listener;
    }

    void start(Future<HttpClientRequest> connecting) {
        arm(options.connectMillis(), "no connection to the provider within " + options.connectMillis() + " ms");
        connecting.onComplete(made -> onContext(() -> {
            if (made.succeeded()) {
                connected(made.result());
            } else {
                fail(unreachable(made.cause()));
            }
        }));
    }

    private void connected(HttpClientRequest made) {
        connected = made;
        if (state == CallState.OVER) {
            made.reset();
            return;
        }
        move(CallState.SENDING);
        arm(
                options.firstByteMillis(),
                "the provider did not begin to answer within " + options.firstByteMillis() + " ms");
        made.exceptionHandler(error -> fail(brokeOff()));
        made.response()
                .onComplete(answered -> onContext(() -> {
                    if (answered.succeeded()) {
                        receive(answered.result());
                    } else {
                        fail(brokeOff());
                    }
                }));
        made.putHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(request.bodyBytes()));
        made.drainHandler(drained -> sendBody(made));
        sendBody(made);
    }

    /** As much as the connection takes; the rest when it has taken that. */
    private void sendBody(HttpClientRequest to) {
        while (state != CallState.OVER && piecesSent < request.body().size()) {
            if (to.writeQueueFull()) {
                return;
            }
            Buffer piece = request.body().get(piecesSent);
            int end = Math.min(piece.length(), bytesSent + PIECE_BYTES);
            if (end == piece.length() && piecesSent == request.body().size() - 1) {
                // With the end of the request: one write to the socket for a small one, and not two.
                bodySent = true;
                piecesSent++;
                to.end(piece.slice(bytesSent, end));
                return;
            }
            to.write(piece.slice(bytesSent, end));
            bytesSent = end;
            if (bytesSent == piece.length()) {
                piecesSent++;
                bytesSent = 0;
            }
        }
        if (state != CallState.OVER && !bodySent) {
            bodySent = true;
            to.end();
        }
    }

    private void receive(HttpClientResponse answer) {
        if (state == CallState.OVER) {
            return;
        }
        move(CallState.RECEIVING);
        response = answer;
        lastHeardNanos = time.clock().nanoTime();
        watchSilence(TimeUnit.MILLISECONDS.toNanos(options.silenceMillis()));
        answer.exceptionHandler(error -> fail(brokeOff())).handler(this::piece).endHandler(ended -> end());
        listener.head(answer.statusCode(), answer.headers());
    }

    private void piece(Buffer piece) {
        lastHeardNanos = time.clock().nanoTime();
        if (state != CallState.OVER) {
            listener.piece(piece);
        }
    }

    private void end() {
        if (state == CallState.OVER) {
            return;
        }
        move(CallState.OVER);
        if (!bodySent && connected != null) {
            // An answer that came first, as to a body that is too large: nothing else can follow on this connection.
            connected.connection().close();
        }
        listener.end();
    }

    /** One timer that looks how long ago the last piece was, rather than a new one for each piece. */
    private void watchSilence(long afterNanos) {
        timer.cancel();
        timer = time.timers()
                .schedule(
                        afterNanos,
                        () -> onContext(() -> {
                            if (state != CallState.RECEIVING) {
                                return;
                            }
                            long bound = TimeUnit.MILLISECONDS.toNanos(options.silenceMillis());
                            long silent = paused ? 0 : time.clock().nanoTime() - lastHeardNanos;
                            if (silent >= bound) {
                                expire("the provider sent nothing for " + options.silenceMillis() + " ms");
                            } else {
                                watchSilence(bound - silent);
                            }
                        }));
    }

    private void arm(long millis, String detail) {
        timer.cancel();
        CallState armedIn = state;
        timer = time.timers()
                .schedule(
                        TimeUnit.MILLISECONDS.toNanos(millis),
                        () -> onContext(() -> {
                            // It may have gone on while this was on its way.
                            if (state == armedIn) {
                                expire(detail);
                            }
                        }));
    }

    private void expire(String detail) {
        fail(new FailureException(FailureCode.UPSTREAM_TIMEOUT, detail));
    }

    private void fail(FailureException failure) {
        if (state != CallState.OVER) {
            reset();
            listener.failed(failure);
        }
    }

    @Override
    public void pause() {
        if (response != null && state == CallState.RECEIVING && !paused) {
            paused = true;
            response.pause();
        }
    }

    @Override
    public void resume() {
        if (response != null && state == CallState.RECEIVING && paused) {
            paused = false;
            lastHeardNanos = time.clock().nanoTime();
            response.resume();
        }
    }

    @Override
    public void reset() {
        if (state == CallState.OVER) {
            return;
        }
        move(CallState.OVER);
        if (connected != null) {
            connected.reset();
            // What of the body still waits to be taken must not keep it open.
            connected.connection().close();
        }
    }

    /** The one place where the state changes. */
    private void move(CallState next) {
        if (!state.next().contains(next)) {
            throw new IllegalStateException("a call cannot go from " + state + " to " + next);
        }
        state = next;
        if (next == CallState.OVER) {
            timer.cancel();
        }
    }

    /** At once when already there. */
    private void onContext(Runnable task) {
        if (Vertx.currentContext() == time.context()) {
            task.run();
        } else {
            time.context().runOnContext(turn -> task.run());
        }
    }

    private static FailureException brokeOff() {
        return new FailureException(
                FailureCode.UPSTREAM_FAILED, "the provider broke the connection off before its answer was whole");
    }

    /** For people, without what the exception says: that names addresses of the operator's network. */
    private FailureException unreachable(Throwable error) {
        if (error instanceof ConnectionPoolTooBusyException) {
            return new FailureException(
                    FailureCode.OVERLOADED, "too many requests wait for a connection to the provider");
        }
        if (error instanceof ConnectTimeoutException || error instanceof TimeoutException) {
            return new FailureException(FailureCode.UPSTREAM_TIMEOUT, "no connection to the provider in time");
        }
        String detail = error instanceof UnknownHostException
                ? "the name of the provider's host is not known"
                : error instanceof SSLException
                        ? "no secure connection to the provider: the handshake failed"
                        : error instanceof ConnectException
                                ? "the provider refused the connection"
                                : "the provider cannot be reached ("
                                        + error.getClass().getSimpleName() + ")";
        return new FailureException(FailureCode.UPSTREAM_FAILED, detail);
    }
}
