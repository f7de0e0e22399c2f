package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.time.CancelCause;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads bodies whole, bounded in bytes and time, before anything is queued: a request with unread body would not tell
 * that its client is gone. Bytes are counted as they come, so a body without a length is bounded just the same.
 */
final class BodyReader {

    private final Timers timers;

    BodyReader(Timers timers) {
        this.timers = timers;
    }

    /**
     * Reads the body into the exchange.
     *
     * @param bounds of its size and time
     * @param charge gets the bytes; closed when the exchange is over
     */
    Future<Void> read(Exchange exchange, HttpOptions.Bodies bounds, Charge charge) {
        HttpServerRequest request = exchange.routing().request();
        if (request.isEnded()) {
            return takeOver(exchange, bounds, charge);
        }
        long announced = announced(request);
        if (announced > bounds.bytes()) {
            return Future.failedFuture(tooLarge(bounds.bytes()));
        }
        Reading reading = new Reading(exchange, bounds, charge);
        if (announced > 0 && !reading.charge(announced)) {
            return Future.failedFuture(full());
        }
        if (announced >= JsonWorkers.LARGE_BYTES) {
            reading.makeRoom(Math.toIntExact(announced));
        }
        reading.start(request);
        return reading.done.future();
    }

    /** In a foreign application a body handler may have read the body before us. */
    private static Future<Void> takeOver(Exchange exchange, HttpOptions.Bodies bounds, Charge charge) {
        Buffer body = exchange.routing().body() == null
                ? null
                : exchange.routing().body().buffer();
        if (body == null) {
            return Future.succeededFuture();
        }
        if (body.length() > bounds.bytes()) {
            return Future.failedFuture(tooLarge(bounds.bytes()));
        }
        if (!charge.take(body.length())) {
            return Future.failedFuture(full());
        }
        exchange.body(List.of(body), body.length());
        return Future.succeededFuture();
    }

    private static long announced(HttpServerRequest request) {
        String length = request.getHeader("content-length");
        // Netty has checked that it is a number; a longer one than a long holds is too large anyway.
        return length == null ? 0 : length.length() > 18 ? Long.MAX_VALUE : Long.parseLong(length.trim());
    }

    static FailureException tooLarge(long limitBytes) {
        return new FailureException(
                FailureCode.PAYLOAD_TOO_LARGE, "the body is larger than " + limitBytes + " bytes; send less at once");
    }

    private static FailureException full() {
        return new FailureException(FailureCode.OVERLOADED, "too many bodies are being received")
                .retryAfter(Duration.ofSeconds(1));
    }

    /** One body on its way. All on the request's event loop. */
    private final class Reading {

        private final Exchange exchange;
        private final HttpOptions.Bodies bounds;
        private final Charge charge;
        private final Promise<Void> done = Promise.promise();
        private final List<Buffer> chunks = new ArrayList<>();
        /** Where a long body is put as it comes: pieces that are kept would be copied from one part of the heap to the next. */
        private byte @Nullable [] room;

        private long charged;
        private long received;
        private Timers.@Nullable Timer timer;

        Reading(Exchange exchange, HttpOptions.Bodies bounds, Charge charge) {
            this.exchange = exchange;
            this.bounds = bounds;
            this.charge = charge;
        }

        void start(HttpServerRequest request) {
            timer = timers.schedule(TimeUnit.MILLISECONDS.toNanos(bounds.millis()), this::expire);
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
            if (!charge.take(bytes)) {
                return false;
            }
            charged += bytes;
            return true;
        }

        /** For a body that is charged, so this is bounded as its bytes are. */
        void makeRoom(int bytes) {
            room = new byte[bytes];
        }

        private void chunk(Buffer chunk) {
            received += chunk.length();
            if (done.future().isComplete()) {
                return; // Refused already: what still comes is dropped.
            }
            if (received > bounds.bytes()) {
                fail(tooLarge(bounds.bytes()));
            } else if (received > charged && !charge(received - charged)) {
                fail(full());
            } else {
                keep(chunk);
            }
        }

        private void keep(Buffer chunk) {
            byte[] body = room;
            if (body == null) {
                chunks.add(chunk);
            } else if (received <= body.length) {
                chunk.getBytes(body, Math.toIntExact(received - chunk.length()));
            } else {
                // More than was announced, which no connection lets through that we know of.
                chunks.add(Buffer.buffer(Arrays.copyOf(body, Math.toIntExact(received - chunk.length()))));
                chunks.add(chunk);
                room = null;
            }
        }

        private void end() {
            stopTimer();
            byte[] body = room;
            if (done.future().isComplete()) {
                return;
            }
            if (body != null) {
                exchange.body(received == body.length ? body : Arrays.copyOf(body, Math.toIntExact(received)));
                done.complete();
            } else {
                exchange.body(chunks, received);
                done.complete();
            }
        }

        private void expire() {
            fail(new FailureException(
                            FailureCode.BODY_TIMEOUT, "the body did not arrive within " + bounds.millis() + " ms")
                    .retryAfter(Duration.ofSeconds(1)));
        }

        private void fail(FailureException failure) {
            stopTimer();
            chunks.clear();
            room = null;
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
