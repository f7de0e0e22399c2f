package io.recallgate.gateway.conversation.prepare;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.fit.TokenCache;
import io.recallgate.gateway.conversation.fit.TokenCounter;
import io.recallgate.gateway.conversation.fit.Tokenizer;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.TurnPreparation;
import io.recallgate.gateway.conversation.turn.TurnRequest;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.recall.api.ConversationService;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.Scope;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/** Prepares turns with memory. One for a node; thread-safe. */
public final class MemoryPreparation implements TurnPreparation {

    /** Messages whose tokens are remembered: several long conversations; 120 bytes each. */
    private static final int COUNTED_MESSAGES = 65_536;

    private static final int KNOWN_CONVERSATIONS = 4_096;

    /** As many as have turns while a database is away for some minutes. */
    private static final int OWED_CONVERSATIONS = 1_024;

    private final Parts parts;
    private final Supplier<PreparationOptions> options;
    private final SharedWork<Question, RecallResponse> recalls = new SharedWork<>(MemoryPreparation::isCutShort);
    private final KnownConversations known = new KnownConversations(KNOWN_CONVERSATIONS);
    private final OwedTurns owed = new OwedTurns(OWED_CONVERSATIONS);
    private final OngoingCommits commits = new OngoingCommits();
    private final TokenCache counted = new TokenCache(COUNTED_MESSAGES);
    private final ConcurrentMap<Tokenizer, Future<Void>> vocabularies = new ConcurrentHashMap<>();

    /**
     * What it works with.
     *
     * @param vertx whose contexts turns are on
     * @param recall recalls
     * @param conversations knows how far conversations are
     * @param workers read bodies and count tokens
     * @param fallbacks choose what is sent when time has run out
     * @param clock of the deadlines
     * @param timers end the budget
     */
    public record Parts(
            Vertx vertx,
            RecallService recall,
            ConversationService conversations,
            JsonWorkers workers,
            FallbackWorkers fallbacks,
            Clock clock,
            Timers timers) {}

    /** What makes two recalls the same one. */
    record Question(Scope scope, String query, int limit) {}

    /** @param options read for each turn */
    public MemoryPreparation(Parts parts, Supplier<PreparationOptions> options) {
        this.parts = parts;
        this.options = options;
    }

    @Override
    public Future<PreparedTurn> prepare(TurnRequest request, PhaseRun run) {
        return new Preparing(this, request, run, options.get()).start();
    }

    Parts parts() {
        return parts;
    }

    KnownConversations known() {
        return known;
    }

    OwedTurns owed() {
        return owed;
    }

    OngoingCommits commits() {
        return commits;
    }

    /** Recalls once what several turns ask at the same time. */
    Future<RecallResponse> recall(Scope scope, RecallRequest request) {
        return recalls.join(
                new Question(scope, request.query(), request.limit()),
                request.deadline(),
                request.cancel(),
                (deadline, nobodyWaits) -> parts.recall().recall(scope, request.during(deadline, nobodyWaits)));
    }

    /** Whether a recall would have found more with more time. */
    private static boolean isCutShort(AsyncResult<RecallResponse> recall) {
        if (recall.failed()) {
            return FailureException.of(recall.cause()).code() == FailureCode.DEADLINE_EXCEEDED;
        }
        return recall.result().degraded() == DegradeReason.DEADLINE_EXHAUSTED;
    }

    /**
     * Who counts for a model. A vocabulary takes up to a second to read, which no turn waits for: until it is there, tokens are
     * estimated.
     */
    TokenCounter counter(String model) {
        Tokenizer tokenizer = Tokenizer.of(model);
        return new TokenCounter(isLoaded(tokenizer) ? tokenizer : Tokenizer.ESTIMATE, counted);
    }

    private boolean isLoaded(Tokenizer tokenizer) {
        if (tokenizer == Tokenizer.ESTIMATE) {
            return true;
        }
        // One that could not be read is tried again by the next turn.
        return vocabularies
                .compute(tokenizer, (which, before) -> before == null || before.failed() ? load(which) : before)
                .succeeded();
    }

    private Future<Void> load(Tokenizer tokenizer) {
        return parts.vertx()
                .executeBlocking(
                        () -> {
                            tokenizer.load();
                            return null;
                        },
                        false);
    }
}
