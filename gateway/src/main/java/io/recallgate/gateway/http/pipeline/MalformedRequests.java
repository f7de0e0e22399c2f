package io.recallgate.gateway.http.pipeline;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.failure.Dialect;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.UUID;

/**
 * Answers what could not be read as an HTTP request, which no route ever sees, in the same shape as everything else.
 * The connection ends: where the next request would begin, nobody knows.
 */
public final class MalformedRequests implements Handler<HttpServerRequest> {

    private static final int BAD_REQUEST = 400;
    private static final int URI_TOO_LONG = 414;
    private static final int HEADERS_TOO_LARGE = 431;

    @Override
    public void handle(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        if (cause instanceof TooLongHttpLineException) {
            answer(
                    request,
                    URI_TOO_LONG,
                    new FailureException(
                            FailureCode.PAYLOAD_TOO_LARGE, "the request line is too long; send less in the query"));
        } else if (cause instanceof TooLongHttpHeaderException) {
            answer(
                    request,
                    HEADERS_TOO_LARGE,
                    new FailureException(
                            FailureCode.PAYLOAD_TOO_LARGE, "the headers are too large; send fewer or shorter ones"));
        } else {
            answer(
                    request,
                    BAD_REQUEST,
                    new FailureException(FailureCode.INVALID_FIELD, "this is not a valid HTTP request"));
        }
    }

    private static void answer(HttpServerRequest request, int status, FailureException failure) {
        String id = UUID.randomUUID().toString();
        HttpServerResponse response = request.response();
        response.setStatusCode(status)
                .putHeader("x-request-id", id)
                .putHeader("cache-control", "no-store")
                .putHeader("connection", "close")
                .putHeader("content-type", Dialect.NATIVE.contentType())
                // The status is HTTP's own for this, which is finer than the code's.
                .end(Dialect.NATIVE.body(failure, id).put("status", status).toBuffer())
                .onComplete(sent -> request.connection().close());
    }
}
