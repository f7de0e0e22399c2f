package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.failure.Dialect;
import io.recallgate.time.CancelCause;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes answers: the one place that touches a response. Runs on the request's event loop. */
final class Answers {

    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    /** How long an early answer waits for the rest of its request: closing at once would reset it away. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final Duration DEFAULT_RETRY = Duration.ofSeconds(1);

    /** The official clients give up when they are told to wait longer. */
    private static final long MAX_RETRY_SECONDS = 120;

    private final Timers timers;
    private final HttpMetrics metrics;

    Answers(Timers timers, HttpMetrics metrics) {
        this.timers = timers;
        this.metrics = metrics;
    }

    void write(Exchange exchange, Reply reply, Buffer body) {
        HttpServerResponse response = exchange.routing().response();
        if (gone(exchange)) {
            return;
        }
        head(exchange, response, reply.status());
        reply.headers().forEach(response::putHeader);
        if (!reply.contentType().isEmpty()) {
            response.putHeader("content-type", reply.contentType());
        }
        end(exchange, response, body);
    }

    void write(Exchange exchange, FailureException failure) {
        FailureCode code = failure.code();
        failed(exchange, failure);
        HttpServerResponse response = exchange.routing().response();
        if (gone(exchange)) {
            return;
        }
        head(exchange, response, code.httpStatus());
        if (code.retry() == FailureCode.Retry.LATER) {
            Duration wait = failure.retryAfter() == null ? DEFAULT_RETRY : failure.retryAfter();
            response.putHeader("retry-after", Long.toString(retrySeconds(wait)));
        }
        Dialect dialect = exchange.endpoint().dialect();
        if (dialect != Dialect.NATIVE) {
            // The official clients repeat 5xx by themselves; they need not when it will fail the same way.
            response.putHeader("x-should-retry", Boolean.toString(code.retry() == FailureCode.Retry.LATER));
        }
        if (code == FailureCode.UNAUTHENTICATED) {
            response.putHeader("www-authenticate", "Bearer realm=\"recallgate\"");
        }
        if (code == FailureCode.SHUTTING_DOWN || exchange.endsConnection()) {
            response.putHeader("connection", "close");
        }
        exchange.allowed().ifPresent(methods -> response.putHeader("allow", methods));
        response.putHeader("content-type", dialect.contentType());
        end(exchange, response, dialect.body(failure, exchange.requestId()).toBuffer());
    }

    /** Begins an answer of unknown length. */
    AnswerStream begin(Exchange exchange, String contentType) {
        HttpServerResponse response = exchange.routing().response();
        head(exchange, response, 200);
        response.putHeader("content-type", contentType);
        // A proxy that collects the answer first would hide how far it is.
        response.putHeader("x-accel-buffering", "no");
        response.setChunked(!exchange.wantsHeadOnly());
        return new AnswerStream(this, exchange, response);
    }

    /** Begins an answer that another server made. */
    AnswerStream begin(Exchange exchange, int status, MultiMap headers, OptionalLong contentBytes) {
        HttpServerResponse response = exchange.routing().response();
        head(exchange, response, status);
        headers.names().forEach(name -> response.putHeader(name, headers.getAll(name)));
        if (contentBytes.isPresent()) {
            response.putHeader("content-length", Long.toString(contentBytes.getAsLong()));
        } else {
            response.setChunked(true);
        }
        return new AnswerStream(this, exchange, response);
    }

    /** A failure that shows in the answer in another way than as its status. */
    void failed(Exchange exchange, FailureException failure) {
        report(exchange, failure);
        metrics.failed(exchange.endpoint(), failure.code());
    }

    private static void head(Exchange exchange, HttpServerResponse response, int status) {
        response.setStatusCode(status);
        response.putHeader("x-request-id", exchange.requestId());
        response.putHeader("cache-control", "no-store");
        response.putHeader("x-content-type-options", "nosniff");
    }

    private void end(Exchange exchange, HttpServerResponse response, Buffer body) {
        boolean head = exchange.routing().request().method().equals(HttpMethod.HEAD);
        if (head) {
            response.putHeader("content-length", Integer.toString(body.length()));
        }
        Future<Void> sent = head ? response.end() : response.end(body);
        exchange.sending(sent);
        sent.onFailure(error -> LOG.debug("request {}: answer not sent", exchange.requestId(), error));
        linger(exchange);
    }

    /** Lets the rest of an unread request run out, so that the client reads its answer, and closes if it does not. */
    void linger(Exchange exchange) {
        HttpServerRequest request = exchange.routing().request();
        if (request.isEnded()) {
            return;
        }
        Timers.Timer timer = timers.schedule(LINGER_NANOS, () -> abandon(exchange));
        request.handler(dropped -> {});
        request.exceptionHandler(error -> timer.cancel());
        request.endHandler(ignored -> timer.cancel());
        request.resume();
        exchange.cancel().onCancel(cause -> {
            // A deadline ends the work, not the wait for what its client still sends.
            if (cause == CancelCause.DISCONNECTED) {
                timer.cancel();
            }
        });
    }

    /** Ends what there is between client and gateway for this exchange: the stream, or the whole connection. */
    static void abandon(Exchange exchange) {
        HttpServerRequest request = exchange.routing().request();
        if (request.version() == HttpVersion.HTTP_2) {
            exchange.routing().response().reset();
        } else {
            request.connection().close();
        }
    }

    private static boolean gone(Exchange exchange) {
        HttpServerResponse response = exchange.routing().response();
        return response.closed() || response.ended();
    }

    private static long retrySeconds(Duration wait) {
        return Math.max(1, Math.min(MAX_RETRY_SECONDS, (wait.toMillis() + 999) / 1_000));
    }

    private static void report(Exchange exchange, FailureException failure) {
        if (failure.code() == FailureCode.INTERNAL) {
            LOG.error(
                    "request {} {} {} failed",
                    exchange.requestId(),
                    exchange.endpoint().method(),
                    exchange.endpoint().path(),
                    failure.getCause());
        } else if (LOG.isDebugEnabled()) {
            LOG.debug(
                    "request {} {} {}: {}",
                    exchange.requestId(),
                    exchange.endpoint().method(),
                    exchange.endpoint().path(),
                    failure.code().code());
        }
    }
}
