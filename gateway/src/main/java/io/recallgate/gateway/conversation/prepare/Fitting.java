package io.recallgate.gateway.conversation.prepare;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.assemble.Splice;
import io.recallgate.gateway.conversation.fit.AcceptedWindow;
import io.recallgate.gateway.conversation.fit.FitBudget;
import io.recallgate.gateway.conversation.fit.FitOutcome;
import io.recallgate.gateway.conversation.fit.FitOutcome.TooLong;
import io.recallgate.gateway.conversation.fit.FitPlan;
import io.recallgate.gateway.conversation.fit.Fitter;
import io.recallgate.gateway.conversation.fit.TokenCounter;
import io.recallgate.gateway.conversation.prepare.Selection.Chosen;
import io.recallgate.gateway.conversation.transcript.Span;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.window.Ledger;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fits one turn into its model's window.
 *
 * @param transcript that is fitted
 * @param options windows of models
 * @param counter of the model's tokens
 * @param workers count what is more than a few messages
 */
record Fitting(Transcript transcript, PreparationOptions options, TokenCounter counter, JsonWorkers workers) {

    /** Below this, counting takes less than handing it over. */
    private static final int COUNTED_INLINE_BYTES = 8 * 1024;

    /** What was probably counted before, and is only looked up by its digest: this takes less than a millisecond. */
    private static final int KNOWN_INLINE_BYTES = 64 * 1024;

    /** What {@code TokenEstimateTest} prints of English, code and data: 1.06 to 1.34 times the tokens that they have. */
    private static final double MOST_OVERESTIMATED = 1.34;

    /** What a turn has beside the client's words: blocks of earlier turns, and its own. */
    record Extras(Ledger ledger, Chosen chosen) {

        static final Extras NONE = new Extras(Ledger.NONE, Chosen.NONE);

        boolean isEmpty() {
            return chosen.block().isEmpty() && ledger.isEmpty();
        }

        private int chars() {
            int chars = chosen.block().text().length();
            for (String block : ledger.blocks().values()) {
                chars += block.length();
            }
            return chars;
        }
    }

    /**
     * What can be sent.
     *
     * @param extras those of whose blocks the messages are sent are in the splice
     */
    record Ready(Rung rung, FitPlan plan, Extras extras, Splice splice) {}

    /** What came of it; ready for a plan and nothing else. */
    record Fitted(FitOutcome outcome, Optional<Ready> ready) {}

    private FitBudget room(Extras extras) {
        return options.windows()
                .find(transcript.options().model())
                .map(window -> new FitBudget(
                        window.budget(transcript.options().outputLimit()),
                        extras.chosen().block().isEmpty()
                                ? 0
                                : tokens(extras.chosen().block().text()),
                        tokens(extras.ledger())))
                .orElse(FitBudget.UNKNOWN);
    }

    private SortedMap<Integer, Long> tokens(Ledger ledger) {
        SortedMap<Integer, Long> tokens = new TreeMap<>();
        ledger.blocks().forEach((message, block) -> tokens.put(message, tokens(block)));
        return tokens;
    }

    private long tokens(String block) {
        return counter.block(block).tokens();
    }

    /** Counts, cuts and splices, here when it is little. */
    Future<Fitted> fit(Extras extras, @Nullable AcceptedWindow accepted, Deadline budget) {
        Fitter fitter = new Fitter(counter, budget::isPassed);
        Callable<Fitted> work = () -> {
            FitOutcome outcome = fitter.fit(transcript, room(extras), accepted);
            return new Fitted(
                    outcome,
                    outcome instanceof FitPlan plan ? Optional.of(ready(Rung.FULL, plan, extras)) : Optional.empty());
        };
        return workers.runOnHeld(isLittle(extras, accepted) ? 0 : JsonWorkers.LARGE_BYTES, budget, work);
    }

    private boolean isLittle(Extras extras, @Nullable AcceptedWindow accepted) {
        return bytesAfter(accepted == null ? 0 : accepted.messages()) < COUNTED_INLINE_BYTES
                && fixedBytes() + extras.chars() < KNOWN_INLINE_BYTES
                // What is shortened is looked at from its beginning to its end.
                && (accepted == null
                        || accepted.shortenedUntil() == 0
                        || transcript.body().length() < JsonWorkers.LARGE_BYTES);
    }

    /** What is sent when there is no time for {@link #fit}, empty when nothing is safe. Not for an event loop. */
    Optional<Ready> fallBack(Extras extras, @Nullable AcceptedWindow accepted) {
        return Fallback.choose(transcript, room(extras), accepted)
                .map(chosen ->
                        ready(chosen.rung(), chosen.plan(), chosen.rung() == Rung.ACCEPTED ? extras : Extras.NONE));
    }

    /**
     * What is sent when there is no time even for {@link #fallBack}, empty when nothing is safe: as much as surely fits by its
     * bytes. Quick: looks at no text.
     */
    Optional<Ready> withoutCounting() {
        return Fitter.suffixByBytes(transcript, room(Extras.NONE)) instanceof FitPlan plan
                ? Optional.of(ready(plan.isWhole() ? Rung.PASSTHROUGH : Rung.SUFFIX, plan, Extras.NONE))
                : Optional.empty();
    }

    /** The bytes of a plan, with these blocks. */
    Ready ready(Rung rung, FitPlan plan, Extras extras) {
        SortedMap<Integer, String> blocks =
                new TreeMap<>(extras.ledger().from(plan.firstKept()).blocks());
        if (!extras.chosen().block().isEmpty()) {
            blocks.put(transcript.currentTurn(), extras.chosen().block().text());
        }
        return new Ready(rung, plan, extras, Splice.of(transcript, plan, blocks));
    }

    private int fixedBytes() {
        return Stream.concat(transcript.fixed().instructions().stream(), transcript.fixed().tools().stream())
                .mapToInt(Span::length)
                .sum();
    }

    private int bytesAfter(int messages) {
        int all = transcript.body().length();
        if (messages == 0) {
            return all;
        }
        return messages < transcript.size()
                ? all - transcript.entry(messages).whole().start()
                : 0;
    }

    /** Whether it may fit all the same: an estimate is above what a provider counts. */
    static boolean mayFit(TooLong tooLong) {
        return !tooLong.exact() && tooLong.needed() <= tooLong.budget() * MOST_OVERESTIMATED;
    }

    /** Says so to the client. */
    static FailureException failure(TooLong tooLong) {
        return FailureException.ofField(
                FailureCode.CONTEXT_TOO_LONG,
                "messages",
                "the current turn with its instructions and tools has " + (tooLong.exact() ? "" : "about ")
                        + tooLong.needed() + " tokens, and the model takes " + tooLong.budget()
                        + " beside the answer; shorten it");
    }
}
