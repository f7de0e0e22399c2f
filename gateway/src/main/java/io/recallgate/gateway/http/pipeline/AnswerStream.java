package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An answer that is written piece by piece, each sent at once. Whoever writes asks {@link #isFull} first: what a client
 * does not read stays in memory. On the request's event loop only.
 */
public final class AnswerStream {

    private static final Logger LOG = LoggerFactory.getLogger(AnswerStream.class);

    private final Answers answers;
    private final Exchange exchange;
    private final HttpServerResponse response;
    private @Nullable FailureException cut;
    private boolean over;

    AnswerStream(Answers answers, Exchange exchange, HttpServerResponse response) {
        this.answers = answers;
        this.exchange = exchange;
        this.response = response;
    }

    /** Whether the client is behind: 64 KiB wait for it. */
    public boolean isFull() {
        return response.writeQueueFull();
    }

    /** Runs {@code task} once, when the client has caught up. */
    public void onceDrained(Runnable task) {
        response.drainHandler(drained -> {
            response.drainHandler(null);
            task.run();
        });
    }

    /** Sends a piece. */
    public void write(Buffer piece) {
        if (!over && !response.closed()) {
            response.write(piece).onFailure(this::notSent);
        }
    }

    /**
     * Ends the answer well, after a last piece that may be empty.
     *
     * @return completes when all of it is in the socket, fails when the connection ended first
     */
    public Future<Void> end(Buffer last) {
        if (over || response.closed()) {
            return Future.failedFuture(new FailureException(FailureCode.CANCELLED, "the client is gone"));
        }
        over = true;
        Future<Void> sent = exchange.wantsHeadOnly() ? response.end() : response.end(last);
        exchange.sending(sent);
        sent.onFailure(this::notSent);
        answers.linger(exchange);
        return sent;
    }

    /** Ends the answer in order, though its last piece tells of a failure. */
    public void end(FailureException failure, Buffer last) {
        answers.failed(exchange, failure);
        end(last);
    }

    /** Sends a last piece that says why and cuts the answer, so that no client takes it for a whole one. */
    public void cut(FailureException failure, Buffer last) {
        if (over) {
            return;
        }
        over = true;
        cut = failure;
        answers.failed(exchange, failure);
        if (!response.closed()) {
            response.write(last).onFailure(this::notSent).onComplete(sent -> Answers.abandon(exchange));
        }
    }

    /** Why the answer was cut, null when it was not. */
    @Nullable
    FailureException reasonOfCut() {
        return cut;
    }

    private void notSent(Throwable error) {
        LOG.debug("request {}: a piece of the answer was not sent", exchange.requestId(), error);
    }
}
