package io.recallgate.gateway.conversation.prepare;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.assemble.Splice;
import io.recallgate.gateway.conversation.fit.AcceptedWindow;
import io.recallgate.gateway.conversation.fit.FitOutcome;
import io.recallgate.gateway.conversation.fit.FitPlan;
import io.recallgate.gateway.conversation.fit.TokenCounter;
import io.recallgate.gateway.conversation.prepare.Fitting.Extras;
import io.recallgate.gateway.conversation.prepare.Fitting.Fitted;
import io.recallgate.gateway.conversation.prepare.Fitting.Ready;
import io.recallgate.gateway.conversation.prepare.Selection.Chosen;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.PassThrough;
import io.recallgate.gateway.conversation.turn.Phase;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.TurnRequest;
import io.recallgate.gateway.conversation.window.Ledger;
import io.recallgate.recall.api.Conversation;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.RecallHit;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One turn from its body to the bytes that are sent. Steps end in the order in which they are begun, and each hands over to the
 * next; the end of the budget takes the word from whichever has it, and gives it to the {@link Fallback}. On the request's
 * event loop.
 */
final class Preparing {

    private static final Logger LOG = LoggerFactory.getLogger(Preparing.class);

    /** What counting and splicing may need after the selection: a cold conversation of 200,000 tokens. */
    private static final long FIT_RESERVE_MILLIS = 150;

    private final MemoryPreparation node;
    private final TurnRequest request;
    private final PhaseRun run;
    private final PreparationOptions options;
    private final Context loop;
    private final Promise<PreparedTurn> done = Promise.promise();
    private final Labels labels = new Labels();
    /** Fires when the turn needs nothing more of what it asked for. */
    private final CancelSignal over = new CancelSignal();

    private Timers.Timer timer = () -> false;
    /** Whoever sets it has the word: a step that comes to its end later does nothing. */
    private boolean settled;

    Preparing(MemoryPreparation node, TurnRequest request, PhaseRun run, PreparationOptions options) {
        this.node = node;
        this.request = request;
        this.run = run;
        this.options = options;
        this.loop = node.parts().vertx().getOrCreateContext();
    }

    Future<PreparedTurn> start() {
        run.enter(Phase.DECODE);
        CancelSignal.Registration leaving = request.cancel().onCancel(cause -> loop.runOnContext(turn -> leave(cause)));
        done.future().onComplete(ended -> {
            leaving.remove();
            timer.cancel();
            over.cancel(CancelCause.SUPERSEDED);
        });
        then(node.parts().workers().runSurely(request.body().length(), request.lifetime(), this::decode), decoded -> {
            if (decoded.failed()) {
                refuse(FailureException.of(decoded.cause()));
            } else {
                decoded(decoded.result());
            }
        });
        return done.future();
    }

    /** What a body says, and where it stands in its conversation, which it does not when it only has instructions. */
    private record Decoded(Transcript transcript, @Nullable TurnSession session) {}

    /** On a worker when the body is large. */
    private Decoded decode() {
        Transcript transcript = Transcript.parse(request.protocol(), request.body());
        return new Decoded(transcript, transcript.size() == 0 ? null : new TurnSession(request, transcript));
    }

    private void decoded(Decoded decoded) {
        Transcript transcript = decoded.transcript();
        TurnSession session = decoded.session();
        if (session == null) {
            // Instructions alone are no conversation: nobody said anything that could be looked for or remembered.
            settled = true;
            run.enter(Phase.ASSEMBLE);
            done.tryComplete(PassThrough.of(
                    request, transcript.options().model(), transcript.options().streams()));
        } else {
            new Steps(session).identify();
        }
    }

    /** Goes on with {@code next} on the request's event loop, unless somebody else has the word by then. */
    private <T> void then(Future<T> step, Consumer<Future<T>> next) {
        step.onComplete(ended -> loop.runOnContext(turn -> {
            if (!settled) {
                try {
                    next.accept(step);
                } catch (RuntimeException e) {
                    refuse(FailureException.of(e));
                }
            }
        }));
    }

    private void leave(CancelCause cause) {
        // Also while the fall-back is being chosen, which nobody waits for any more.
        if (!done.future().isComplete()) {
            refuse(
                    cause == CancelCause.DEADLINE
                            ? new FailureException(FailureCode.DEADLINE_EXCEEDED, "the request's deadline passed")
                            : new FailureException(FailureCode.CANCELLED, "the client is gone"));
        }
    }

    private void refuse(FailureException why) {
        settled = true;
        done.tryFail(why);
    }

    /** What comes after the body is read. */
    private final class Steps {

        private final Transcript transcript;
        private final TurnSession session;
        private final TokenCounter counter;
        private final Fitting fitting;
        private final Deadline budget;

        private Ledger ledger = Ledger.NONE;
        private @Nullable AcceptedWindow accepted;
        private Chosen chosen = Chosen.NONE;
        private Future<List<Memory>> pinned = Future.succeededFuture(List.of());
        private @Nullable Future<RecallResponse> recalled;
        private @Nullable UUID recallId;

        Steps(TurnSession session) {
            this.transcript = session.transcript();
            this.session = session;
            this.counter = node.counter(transcript.options().model());
            this.fitting =
                    new Fitting(transcript, options, counter, node.parts().workers());
            this.budget = request.lifetime().minAfterMillis(options.budgetMillis());
            labels.session(session.name());
        }

        void identify() {
            run.enter(Phase.IDENTIFY);
            timer = node.parts().timers().schedule(budget.remainingNanos(), () -> loop.runOnContext(turn -> expire()));
            Deadline questions = questions();
            Future<Conversation> known = node.commits()
                    .of(request.scope(), session.name(), transcript, loop)
                    .compose(stored -> node.parts()
                            .conversations()
                            .load(request.scope(), session.name(), session.chains(), questions, over));
            pinned = node.parts().conversations().pinned(request.scope(), options.pinned(), questions, over);
            if (session.isNewQuestion()) {
                recalled = recall(questions);
            }
            then(known, this::identified);
        }

        /** By when what is asked must be answered, so that there is time to use it. */
        private Deadline questions() {
            long reserveMillis = Math.min(FIT_RESERVE_MILLIS, options.budgetMillis() / 4);
            return budget.minusNanos(TimeUnit.MILLISECONDS.toNanos(reserveMillis));
        }

        private @Nullable Future<RecallResponse> recall(Deadline questions) {
            return session.question(questions, over)
                    .map(asked -> node.recall(request.scope(), asked))
                    .orElse(null);
        }

        private void identified(Future<Conversation> known) {
            if (known.succeeded()) {
                session.found(known.result());
                ledger = Ledger.of(known.result().injections(), transcript, session.places()::of);
            } else {
                degraded(known.cause());
                guess();
            }
            accepted = session.accepted(counter.tokenizer()).orElse(null);
            run.enter(Phase.SELECT);
            if (ledger.has(transcript.currentTurn()) || !session.takesMemories() || session.isUnderway()) {
                run.enter(Phase.FIT);
                fit();
                return;
            }
            Future<RecallResponse> hits = recalled != null ? recalled : recall(questions());
            if (hits == null) {
                then(pinned, found -> selected(List.of()));
            } else {
                then(hits, answered -> then(pinned, found -> selected(hits(answered))));
            }
        }

        private void guess() {
            session.guess(node.known().checkpoints(request.scope(), session.name()));
        }

        private List<RecallHit> hits(Future<RecallResponse> answered) {
            if (answered.failed()) {
                degraded(answered.cause());
                return List.of();
            }
            RecallResponse response = answered.result();
            recallId = response.recallId();
            labels.recall(response.recallId().toString());
            if (response.degraded() != null) {
                labels.degraded(response.degraded().wireName());
            }
            return response.hits();
        }

        private void selected(List<RecallHit> hits) {
            if (pinned.failed()) {
                degraded(pinned.cause());
            }
            int firstKept = accepted == null ? 0 : accepted.firstKept();
            chosen = new Selection(transcript, ledger.from(firstKept), firstKept, session.name())
                    .choose(pinned.succeeded() ? pinned.result() : List.of(), hits, options);
            run.enter(Phase.FIT);
            fit();
        }

        private void fit() {
            Extras extras = new Extras(ledger, chosen);
            then(fitting.fit(extras, accepted, budget), fitted -> {
                if (fitted.failed()) {
                    // The workers are in trouble or it took too long; either way there is another way.
                    degraded(fitted.cause());
                    fallBack();
                } else {
                    fitted(fitted.result(), extras);
                }
            });
        }

        private void fitted(Fitted fitted, Extras extras) {
            if (fitted.ready().isPresent()) {
                assemble(fitted.ready().get());
            } else if (fitted.outcome() instanceof FitOutcome.TooLong && !extras.isEmpty()) {
                // Memory goes before the client's own words do.
                chosen = Chosen.NONE;
                ledger = Ledger.NONE;
                labels.degraded("context-full");
                fit();
            } else if (fitted.outcome() instanceof FitOutcome.TooLong tooLong) {
                tooLong(tooLong);
            } else {
                expire();
            }
        }

        /**
         * Nothing more can be left out. Where the tokens are known that is the end; an estimate may be above them by so much
         * that the provider, which knows, has to say it.
         */
        private void tooLong(FitOutcome.TooLong tooLong) {
            if (!Fitting.mayFit(tooLong)) {
                refuse(Fitting.failure(tooLong));
                return;
            }
            labels.degraded("window-estimated");
            int start = transcript.currentTurn();
            FitPlan plan = new FitPlan(start, 0, 0, tooLong.needed(), false, false);
            assemble(fitting.ready(Rung.SUFFIX, plan, Extras.NONE));
        }

        private void assemble(Ready ready) {
            run.enter(Phase.ASSEMBLE);
            settled = true;
            labels.window(ready.rung(), ready.plan().leftOut(transcript));
            labels.memories(given(ready.splice(), ready.extras()));
            done.tryComplete(new SplicedTurn(
                    node,
                    request,
                    session,
                    new SplicedTurn.Sent(
                            ready.rung(), ready.plan(), ready.extras().chosen(), counter.tokenizer(), recallId),
                    ready.splice(),
                    labels.headers()));
        }

        /** The memories that the newest message has, now or since the turn began. */
        private List<String> given(Splice splice, Extras extras) {
            int newest = transcript.currentTurn();
            if (!splice.injected().contains(newest)) {
                return List.of();
            }
            return extras.chosen().block().isEmpty()
                    ? extras.ledger().memories(newest).stream()
                            .map(UUID::toString)
                            .toList()
                    : extras.chosen().block().ids();
        }

        /** Time is up: whoever has the word loses it. */
        private void expire() {
            if (settled) {
                return;
            }
            labels.degraded("deadline-exhausted");
            fallBack();
        }

        private void fallBack() {
            settled = true;
            try {
                chooseFallback();
            } catch (RuntimeException e) {
                // There is nobody left who would answer.
                refuse(FailureException.of(e));
            }
        }

        private void chooseFallback() {
            over.cancel(CancelCause.DEADLINE);
            // What was read of the database by now is taken; what is asked by then comes too late.
            if (accepted == null) {
                guess();
                accepted = session.accepted(counter.tokenizer()).orElse(null);
            }
            AcceptedWindow window = accepted;
            Extras extras = new Extras(ledger, Chosen.NONE);
            node.parts()
                    .fallbacks()
                    .run(request.cancel(), () -> fitting.fallBack(extras, window))
                    .onComplete(chosenRung -> loop.runOnContext(turn -> fellBack(chosenRung)));
        }

        private void fellBack(AsyncResult<Optional<Ready>> outcome) {
            if (done.future().isComplete()) {
                return;
            }
            try {
                // Where even that took too long, what takes no time at all.
                Optional<Ready> ready = outcome.succeeded() ? outcome.result() : fitting.withoutCounting();
                if (outcome.failed()) {
                    LOG.warn("a turn's fall-back was not to be had", outcome.cause());
                    labels.degraded("fallback-expired");
                }
                if (ready.isEmpty()) {
                    refuse(new FailureException(
                                    FailureCode.PREPARATION_EXPIRED,
                                    "the request could not be prepared in time, and is too long to be sent as it is")
                            .retryAfter(Duration.ofSeconds(1)));
                } else {
                    assemble(ready.get());
                }
            } catch (RuntimeException e) {
                refuse(FailureException.of(e));
            }
        }

        private void degraded(Throwable why) {
            FailureCode code = FailureException.of(why).code();
            labels.degraded(code == FailureCode.DEADLINE_EXCEEDED ? "deadline-exhausted" : code.code());
        }
    }
}
