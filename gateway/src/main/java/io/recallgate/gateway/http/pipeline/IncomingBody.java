package io.recallgate.gateway.http.pipeline;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Consumer;

/**
 * A body that a route takes as it comes. Paused, it takes nothing from the connection beyond what is buffered there, and
 * does not tell that the client is gone: every pause must have a bound. On the request's event loop only.
 */
public final class IncomingBody {

    private final RoutingContext routing;
    private final HttpServerRequest request;

    IncomingBody(RoutingContext routing) {
        this.routing = routing;
        this.request = routing.request();
    }

    /**
     * Begins to read. That the client is gone shows in {@link Exchange#cancel()}.
     *
     * @param piece takes pieces of any size, in order
     * @param end told once, after the last piece
     */
    public void start(Consumer<Buffer> piece, Runnable end) {
        if (request.isEnded()) {
            // In a foreign application a body handler may have read the body before us.
            Buffer body = routing.body() == null ? null : routing.body().buffer();
            if (body != null) {
                piece.accept(body);
            }
            end.run();
            return;
        }
        request.handler(piece::accept);
        request.endHandler(ended -> end.run());
        // The connection's end comes as a cancellation; without a handler the error would be logged as a defect.
        request.exceptionHandler(error -> {});
        if ("100-continue".equalsIgnoreCase(request.getHeader("expect"))) {
            request.response().writeContinue();
        }
        request.resume();
    }

    /** Lets no more pieces come. */
    public void pause() {
        if (!request.isEnded()) {
            request.pause();
        }
    }

    /** Lets pieces come again. */
    public void resume() {
        if (!request.isEnded()) {
            request.resume();
        }
    }
}
