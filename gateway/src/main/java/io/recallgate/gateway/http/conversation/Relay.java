package io.recallgate.gateway.http.conversation;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.Phase;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.ResponseTap;
import io.recallgate.gateway.conversation.upstream.UpstreamCall;
import io.recallgate.gateway.conversation.upstream.UpstreamListener;
import io.recallgate.gateway.conversation.upstream.UpstreamRequest;
import io.recallgate.gateway.http.pipeline.AnswerStream;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A provider's answer on its way to the client: each piece is passed on when it comes, and no next one is taken while the
 * client is behind. On the request's event loop.
 */
final class Relay implements UpstreamListener {

    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private final Exchange exchange;
    private final TurnParts parts;
    private final Protocol protocol;
    private final PreparedTurn turn;
    private final PhaseRun run;
    private final Promise<Boolean> relayed = Promise.promise();

    private @Nullable UpstreamCall call;
    private @Nullable AnswerStream answer;
    private @Nullable EventFramer events;
    private ResponseTap tap = ResponseTap.NONE;
    /** Whether the answer is one to be remembered, should all of it reach the client. */
    private boolean accepted;

    private long sentNanos;
    private boolean over;

    Relay(Exchange exchange, TurnParts parts, Protocol protocol, PreparedTurn turn, PhaseRun run) {
        this.exchange = exchange;
        this.parts = parts;
        this.protocol = protocol;
        this.turn = turn;
        this.run = run;
    }

    /**
     * Sends the request.
     *
     * @return once all of the answer is in the client's socket: whether the turn is to be committed. Fails with why there is
     *     no whole answer; one that had begun has then been ended, and says so
     */
    Future<Boolean> start(UpstreamRequest request) {
        sentNanos = parts.environment().clock().nanoTime();
        UpstreamCall begun = parts.upstream().send(request, this);
        call = begun;
        return relayed.future();
    }

    /** Whether the client was sent a head, so that no other answer can be. */
    boolean hasBegun() {
        return answer != null;
    }

    /** Nobody waits for the whole answer any more. */
    void cancel(FailureException why) {
        if (!over) {
            if (call != null) {
                call.reset();
            }
            failed(why);
        }
    }

    @Override
    public void head(int status, MultiMap headers) {
        try {
            begin(status, headers);
        } catch (RuntimeException defect) {
            // Thrown on, it would leave the client waiting for its deadline.
            cancel(FailureException.of(defect));
        }
    }

    private void begin(int status, MultiMap headers) {
        parts.metrics().answered(protocol, status, sinceSent());
        run.enter(Phase.RELAY);
        boolean compressed = TurnLabels.isCompressed(headers);
        boolean stream = TurnLabels.isStream(headers) && !compressed;
        AnswerStream begun = exchange.relay(
                        status,
                        TurnLabels.headers(headers, turn, run, exchange),
                        stream ? OptionalLong.empty() : contentBytes(headers))
                .orElse(null);
        if (begun == null) {
            // The deadline has answered, or nobody is left: the cancellation is on its way.
            if (call != null) {
                call.pause();
            }
            return;
        }
        answer = begun;
        events = stream ? new EventFramer() : null;
        accepted = status / 100 == 2;
        if (compressed && accepted) {
            parts.metrics().committed(protocol, "compressed");
            accepted = false;
        } else if (!compressed) {
            tapping(() -> tap = turn.tap(status, TurnLabels.contentType(headers)));
        }
    }

    private long sinceSent() {
        return parts.environment().clock().nanoTime() - sentNanos;
    }

    private static OptionalLong contentBytes(MultiMap headers) {
        String length = headers.get("content-length");
        return length == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(length.trim()));
    }

    @Override
    public void piece(Buffer piece) {
        if (over || answer == null) {
            return;
        }
        tapping(() -> tap.chunk(piece));
        Buffer whole = events == null ? piece : events.take(piece);
        if (whole.length() == 0) {
            return;
        }
        answer.write(whole);
        UpstreamCall from = call;
        if (from != null && answer.isFull()) {
            from.pause();
            answer.onceDrained(from::resume);
        }
    }

    @Override
    public void end() {
        if (over || answer == null) {
            return;
        }
        over = true;
        parts.metrics().upstream(protocol, TurnOutcome.COMPLETED, sinceSent());
        tapping(tap::end);
        answer.end(events == null ? Buffer.buffer() : events.rest())
                .onComplete(sent -> exchange.onLoop(() -> {
                    if (sent.succeeded()) {
                        relayed.complete(accepted);
                    } else {
                        relayed.fail(new FailureException(FailureCode.CANCELLED, "the client is gone"));
                    }
                }));
    }

    @Override
    public void failed(FailureException failure) {
        if (over) {
            return;
        }
        over = true;
        parts.metrics().upstream(protocol, TurnOutcome.of(failure), sinceSent());
        if (answer != null && events != null) {
            answer.end(
                    failure,
                    events.separator().appendBuffer(StreamErrors.event(protocol, failure, exchange.requestId())));
        } else if (answer != null) {
            answer.cut(failure, Buffer.buffer());
        }
        relayed.fail(failure);
    }

    /** A tap that fails costs the memory of this turn and nothing else. */
    private void tapping(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException defect) {
            LOG.error("turn {} cannot be remembered: its answer was not understood", exchange.requestId(), defect);
            parts.metrics().committed(protocol, "internal");
            tap = ResponseTap.NONE;
            accepted = false;
        }
    }
}
