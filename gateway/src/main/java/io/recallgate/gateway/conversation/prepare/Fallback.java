package io.recallgate.gateway.conversation.prepare;

import io.recallgate.gateway.conversation.fit.AcceptedWindow;
import io.recallgate.gateway.conversation.fit.FitBudget;
import io.recallgate.gateway.conversation.fit.FitOutcome;
import io.recallgate.gateway.conversation.fit.FitPlan;
import io.recallgate.gateway.conversation.fit.Fitter;
import io.recallgate.gateway.conversation.fit.TokenCache;
import io.recallgate.gateway.conversation.fit.TokenCounter;
import io.recallgate.gateway.conversation.fit.Tokenizer;
import io.recallgate.gateway.conversation.transcript.Transcript;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is sent when preparation ran out of time. Asks nobody and counts by estimate, which is above the truth: what it gives
 * fits. Up to some ten milliseconds for a large conversation, so not on an event loop.
 *
 * @param rung that was taken
 * @param plan of it
 */
record Fallback(Rung rung, FitPlan plan) {

    /**
     * The best that is safe, empty when nothing is.
     *
     * @param accepted of an earlier turn, null when there is none that suits
     * @param budget with room for the memory blocks that an accepted window brings along
     */
    static Optional<Fallback> choose(Transcript transcript, FitBudget budget, @Nullable AcceptedWindow accepted) {
        Fitter estimating = new Fitter(new TokenCounter(Tokenizer.ESTIMATE, new TokenCache(0)), () -> false);
        if (accepted != null
                && estimating.fit(transcript, budget, estimated(accepted)) instanceof FitPlan plan
                && plan.accepted()) {
            return Optional.of(new Fallback(Rung.ACCEPTED, plan));
        }
        FitBudget bare = new FitBudget(budget.input(), 0);
        FitOutcome suffix = Fitter.longestSafeSuffix(transcript, bare);
        if (!(suffix instanceof FitPlan plan)) {
            return Optional.empty();
        }
        return Optional.of(plan.isWhole() ? new Fallback(Rung.PASSTHROUGH, plan) : new Fallback(Rung.SUFFIX, plan));
    }

    /** Counted tokens are no more than estimated ones, so what is estimated may be added to them. */
    private static AcceptedWindow estimated(AcceptedWindow accepted) {
        return new AcceptedWindow(
                accepted.firstKept(),
                accepted.shortenedUntil(),
                accepted.messages(),
                accepted.chain(),
                accepted.tokens(),
                false,
                Tokenizer.ESTIMATE);
    }
}
