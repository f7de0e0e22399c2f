package io.recallgate.gateway.conversation.demo;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.upstream.Upstream;
import io.recallgate.gateway.conversation.upstream.UpstreamCall;
import io.recallgate.gateway.conversation.upstream.UpstreamListener;
import io.recallgate.gateway.conversation.upstream.UpstreamRequest;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.gateway.http.json.StrictJson;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * In place of a provider: says which memories are in the request that the provider would have been sent. The same request
 * is answered the same way. Thread-safe.
 */
public final class DemoUpstream implements Upstream {

    /** Reading the largest body takes about a second. */
    private static final long READ_MILLIS = 30_000;

    private final Vertx vertx;
    private final JsonWorkers workers;
    private final Clock clock;

    /** @param workers where large bodies are read */
    public DemoUpstream(Vertx vertx, JsonWorkers workers, Clock clock) {
        this.vertx = vertx;
        this.workers = workers;
        this.clock = clock;
    }

    @Override
    public UpstreamCall send(UpstreamRequest request, UpstreamListener listener) {
        Call call = new Call(vertx.getOrCreateContext(), listener);
        Deadline deadline = Deadline.afterMillis(clock, READ_MILLIS);
        workers.runOnHeld(request.bodyBytes(), deadline, () -> answer(request))
                .onComplete(read -> call.later(() -> {
                    if (read.succeeded()) {
                        call.begin(read.result());
                    } else {
                        call.fail(FailureException.of(read.cause()));
                    }
                }));
        return call;
    }

    @Override
    public Future<Void> close() {
        return Future.succeededFuture();
    }

    private static DemoAnswer answer(UpstreamRequest request) {
        byte[] body = new byte[Math.toIntExact(request.bodyBytes())];
        int at = 0;
        for (Buffer piece : request.body()) {
            piece.getBytes(body, at);
            at += piece.length();
        }
        DemoRequest read = DemoRequest.of(StrictJson.object(body));
        return request.protocol() == Protocol.OPENAI ? OpenAiDemo.answer(read) : AnthropicDemo.answer(read);
    }

    /** Hands an answer out, one piece in each turn of the event loop. */
    private static final class Call implements UpstreamCall {

        private final Context context;
        private final UpstreamListener listener;
        private final Deque<Buffer> pieces = new ArrayDeque<>();
        private boolean paused;
        private boolean over;

        Call(Context context, UpstreamListener listener) {
            this.context = context;
            this.listener = listener;
        }

        void later(Runnable task) {
            context.runOnContext(turn -> task.run());
        }

        void begin(DemoAnswer answer) {
            if (over) {
                return;
            }
            MultiMap headers = HttpHeaders.headers().set("content-type", answer.contentType());
            if (answer.pieces().size() == 1) {
                headers.set(
                        "content-length",
                        Integer.toString(answer.pieces().get(0).length()));
            }
            pieces.addAll(answer.pieces());
            listener.head(200, headers);
            later(this::next);
        }

        void fail(FailureException failure) {
            if (!over) {
                over = true;
                listener.failed(
                        failure.code() == FailureCode.CANCELLED
                                ? new FailureException(FailureCode.UPSTREAM_FAILED, "the demonstration was ended")
                                : failure);
            }
        }

        private void next() {
            if (over || paused) {
                return;
            }
            Buffer piece = pieces.poll();
            if (piece == null) {
                over = true;
                listener.end();
            } else {
                listener.piece(piece);
                later(this::next);
            }
        }

        @Override
        public void pause() {
            paused = true;
        }

        @Override
        public void resume() {
            if (paused) {
                paused = false;
                later(this::next);
            }
        }

        @Override
        public void reset() {
            over = true;
        }
    }
}
