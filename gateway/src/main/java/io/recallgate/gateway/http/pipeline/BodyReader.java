package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads bodies whole, bounded in bytes and time, before anything is queued: a request with unread body would not tell
 * that its client is gone. Bytes are counted as they come, so a body without a length is bounded just the same.
 */
final class BodyReader {

    private final Timers timers;
    private final Quota buffered;

    BodyReader(Timers timers, Quota buffered) {
        this.timers = timers;
        this.buffered = buffered;
    }

    /**
     * Reads the body into the exchange.
     *
     * @param options the bounds
     * @param charged told how many bytes were taken from the quota, to be given back when the exchange is over
     */
    Future<Void> read(Exchange exchange, HttpOptions options, LongConsumer charged) {
        HttpServerRequest request = exchange.routing().request();
        if (request.isEnded()) {
            return takeOver(exchange, options, charged);
        }
        long announced = announced(request);
        if (announced > options.bodyBytes()) {
            return Future.failedFuture(tooLarge(options));
        }
        Reading reading = new Reading(exchange, options, charged);
        if (announced > 0 && !reading.charge(announced)) {
            return Future.failedFuture(full());
        }
        reading.start(request);
        return reading.done.future();
    }

    /** In a foreign application a body handler may have read the body before us. */
    private Future<Void> takeOver(Exchange exchange, HttpOptions options, LongConsumer charged) {
        Buffer body = exchange.routing().body() == null
                ? null
                : exchange.routing().body().buffer();
        if (body == null) {
            return Future.succeededFuture();
        }
        if (body.length() > options.bodyBytes()) {
            return Future.failedFuture(tooLarge(options));
        }
        if (!buffered.take(body.length(), options.bufferedBytes())) {
            return Future.failedFuture(full());
        }
        charged.accept(body.length());
        exchange.body(List.of(body), body.length());
        return Future.succeededFuture();
    }

    private static long announced(HttpServerRequest request) {
        String length = request.getHeader("content-length");
        // Netty has checked that it is a number; a longer one than a long holds is too large anyway.
        return length == null ? 0 : length.length() > 18 ? Long.MAX_VALUE : Long.parseLong(length.trim());
    }

    private static FailureException tooLarge(HttpOptions options) {
        return new FailureException(
                FailureCode.PAYLOAD_TOO_LARGE,
                "the body is larger than " + options.bodyBytes() + " bytes; send it in parts");
    }

    private static FailureException full() {
        return new FailureException(FailureCode.OVERLOADED, "too many bodies are being received")
                .retryAfter(Duration.ofSeconds(1));
    }

    /** One body on its way. All on the request's event loop. */
    private final class Reading {

        private final Exchange exchange;
        private final HttpOptions options;
        private final LongConsumer chargedBytes;
        private final Promise<Void> done = Promise.promise();
        private final List<Buffer> chunks = new ArrayList<>();
        private long charged;
        private long received;
        private Timers.@Nullable Timer timer;

        Reading(Exchange exchange, HttpOptions options, LongConsumer chargedBytes) {
            this.exchange = exchange;
            this.options = options;
            this.chargedBytes = chargedBytes;
        }

        void start(HttpServerRequest request) {
            timer = timers.schedule(TimeUnit.MILLISECONDS.toNanos(options.bodyMillis()), this::expire);
            request.exceptionHandler(error -> fail(gone()));
            request.handler(this::chunk);
            request.endHandler(ignored -> end());
            exchange.cancel().onCancel(cause -> fail(gone()));
            if ("100-continue".equalsIgnoreCase(request.getHeader("expect"))) {
                request.response().writeContinue();
            }
            request.resume();
        }

        boolean charge(long bytes) {
            if (!buffered.take(bytes, options.bufferedBytes())) {
                return false;
            }
            charged += bytes;
            chargedBytes.accept(bytes);
            return true;
        }

        private void chunk(Buffer chunk) {
            received += chunk.length();
            if (done.future().isComplete()) {
                return; // Refused already: what still comes is dropped.
            }
            if (received > options.bodyBytes()) {
                fail(tooLarge(options));
            } else if (received > charged && !charge(received - charged)) {
                fail(full());
            } else {
                chunks.add(chunk);
            }
        }

        private void end() {
            stopTimer();
            if (!done.future().isComplete()) {
                exchange.body(chunks, received);
                done.complete();
            }
        }

        private void expire() {
            fail(new FailureException(
                            FailureCode.BODY_TIMEOUT, "the body did not arrive within " + options.bodyMillis() + " ms")
                    .retryAfter(Duration.ofSeconds(1)));
        }

        private void fail(FailureException failure) {
            stopTimer();
            chunks.clear();
            done.tryFail(failure);
        }

        private void stopTimer() {
            if (timer != null) {
                timer.cancel();
            }
        }
    }

    private static FailureException gone() {
        return new FailureException(FailureCode.CANCELLED, "the client is gone: " + CancelCause.DISCONNECTED);
    }
}
