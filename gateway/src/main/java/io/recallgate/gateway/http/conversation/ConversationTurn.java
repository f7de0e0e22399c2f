package io.recallgate.gateway.http.conversation;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.admission.TurnAdmission;
import io.recallgate.gateway.conversation.evidence.Overrun;
import io.recallgate.gateway.conversation.turn.MemoryUse;
import io.recallgate.gateway.conversation.turn.Phase;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import io.recallgate.gateway.conversation.turn.TurnRequest;
import io.recallgate.gateway.conversation.upstream.UpstreamRequest;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.time.CancelCause;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request of a conversation from its admission to its commit. On the request's event loop. */
final class ConversationTurn {

    private static final Logger LOG = LoggerFactory.getLogger(ConversationTurn.class);

    /** The client has its answer; a commit that takes longer than this holds up the turns that wait for its place. */
    private static final long COMMIT_SECONDS = 30;

    private final Exchange exchange;
    private final TurnParts parts;
    private final Protocol protocol;
    private final @Nullable String session;
    private final MemoryUse memory;
    private final PhaseRun run;
    private final Promise<Reply> over = Promise.promise();

    private TurnAdmission.@Nullable Place place;
    private @Nullable Relay relay;
    /** Why nobody wants it any more; what is being prepared ends by itself and is not sent. */
    private @Nullable CancelCause gone;

    private boolean ended;
    private boolean reported;

    ConversationTurn(
            Exchange exchange, TurnParts parts, Protocol protocol, @Nullable String session, MemoryUse memory) {
        this.exchange = exchange;
        this.parts = parts;
        this.protocol = protocol;
        this.session = session;
        this.memory = memory;
        this.run = new PhaseRun(parts.environment().clock(), exchange.deadline());
    }

    /** Runs to its end; the place, and all that the pipeline counts, is held until then. */
    Future<Reply> run() {
        exchange.cancel().onCancel(cause -> exchange.onLoop(() -> cancelled(cause)));
        parts.admission()
                .admit(exchange.scope(), session, exchange.cancel())
                .compose(this::prepare)
                .onComplete(prepared -> exchange.onLoop(() -> {
                    if (prepared.succeeded()) {
                        forward(prepared.result());
                    } else {
                        fail(FailureException.of(prepared.cause()));
                    }
                }));
        return over.future();
    }

    private Future<PreparedTurn> prepare(TurnAdmission.Place admitted) {
        place = admitted;
        if (gone != null) {
            return Future.failedFuture(cancellation(gone));
        }
        return exchange.bytes().compose(bytes -> parts.preparation(memory)
                .prepare(
                        new TurnRequest(
                                protocol,
                                exchange.scope(),
                                session,
                                memory,
                                new RequestBody(bytes),
                                exchange.deadline(),
                                exchange.cancel()),
                        run));
    }

    private void forward(PreparedTurn turn) {
        if (gone != null) {
            fail(cancellation(gone));
            return;
        }
        try {
            run.enter(Phase.FORWARD);
        } catch (FailureException late) {
            fail(late);
            return;
        }
        reportOverrun();
        try {
            send(turn);
        } catch (RuntimeException notSent) {
            // Thrown on, it would leave the client without an answer, and its place taken for good.
            fail(FailureException.of(notSent));
        }
    }

    private void send(PreparedTurn turn) {
        parts.metrics().prepared(protocol, turn);
        String degraded = turn.labels().get(TurnLabels.DEGRADED);
        if (degraded != null) {
            LOG.info("turn {}: memory was left out: {}", exchange.requestId(), degraded);
        }
        Relay relaying = new Relay(exchange, parts, protocol, turn, run);
        relay = relaying;
        relaying.start(new UpstreamRequest(protocol, exchange.rawQuery(), exchange.headers(), turn.body()))
                .onComplete(relayed -> {
                    if (relayed.failed()) {
                        fail(FailureException.of(relayed.cause()));
                    } else if (relayed.result()) {
                        commit(turn);
                    } else {
                        end(TurnOutcome.COMPLETED);
                    }
                });
    }

    private void commit(PreparedTurn turn) {
        Promise<Void> committed = Promise.promise();
        Timers.Timer patience = parts.environment()
                .timers()
                .schedule(
                        TimeUnit.SECONDS.toNanos(COMMIT_SECONDS),
                        () -> committed.tryFail(new FailureException(
                                FailureCode.DEADLINE_EXCEEDED, "it took longer than " + COMMIT_SECONDS + " s")));
        try {
            run.enter(Phase.COMMIT);
            turn.commit().onComplete(done -> {
                if (done.succeeded()) {
                    committed.tryComplete();
                } else {
                    committed.tryFail(done.cause());
                }
            });
        } catch (RuntimeException notBegun) {
            committed.tryFail(notBegun);
        }
        committed
                .future()
                .onComplete(done -> exchange.onLoop(() -> {
                    patience.cancel();
                    if (done.succeeded()) {
                        parts.metrics().committed(protocol, "remembered");
                    } else {
                        FailureException why = FailureException.of(done.cause());
                        parts.metrics().committed(protocol, why.code().code());
                        LOG.warn(
                                "turn {} was answered but not remembered: {}",
                                exchange.requestId(),
                                why.detail(),
                                why.getCause());
                    }
                    end(TurnOutcome.COMPLETED);
                }));
    }

    private void cancelled(CancelCause cause) {
        if (ended || gone != null) {
            return;
        }
        gone = cause;
        if (relay != null) {
            relay.cancel(cancellation(cause));
        }
    }

    private static FailureException cancellation(CancelCause cause) {
        return cause == CancelCause.DEADLINE
                ? new FailureException(FailureCode.DEADLINE_EXCEEDED, "the request's deadline passed")
                : new FailureException(FailureCode.CANCELLED, "the client is gone");
    }

    private void fail(FailureException failure) {
        if (ended) {
            return;
        }
        // Whoever was told of the end first decides which one it was: a preparation fails as cancelled when time is up.
        FailureException why = gone == null ? failure : cancellation(gone);
        TurnOutcome outcome = TurnOutcome.of(why);
        if (outcome != TurnOutcome.REFUSED) {
            LOG.info(
                    "turn {}: {} in {}: {}",
                    exchange.requestId(),
                    outcome.label(),
                    run.current().label(),
                    why.detail());
        }
        end(outcome, () -> {
            if (relay != null && relay.hasBegun()) {
                over.complete(Reply.streamed());
            } else {
                over.fail(why);
            }
        });
    }

    /** At once when the preparation is over: what the process did until then is forgotten before a long answer ends. */
    private void reportOverrun() {
        if (!reported) {
            Overrun.of(run, parts.runtime().conversation().preparation().budgetMillis(), exchange.requestId())
                    .ifPresent(overrun -> {
                        reported = true;
                        parts.runtime().overruns().report(overrun);
                    });
        }
    }

    private void end(TurnOutcome outcome) {
        end(outcome, () -> over.complete(Reply.streamed()));
    }

    private void end(TurnOutcome outcome, Runnable answer) {
        ended = true;
        run.finish();
        reportOverrun();
        parts.metrics().ended(protocol, outcome, run);
        if (place != null) {
            place.release();
        }
        answer.run();
    }
}
