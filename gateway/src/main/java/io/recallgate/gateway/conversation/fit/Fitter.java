package io.recallgate.gateway.conversation.fit;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.transcript.ContentForm;
import io.recallgate.gateway.conversation.transcript.Entry;
import io.recallgate.gateway.conversation.transcript.Span;
import io.recallgate.gateway.conversation.transcript.Transcript;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a conversation fit. Instructions, wherever they stand, tools and the current turn stay whole. First long outputs of earlier turns are
 * shortened, the oldest first; then whole turns are left out, the oldest first. A call and its result stay together or go
 * together. What has to be cut is cut to {@link #TARGET} of the budget, so that the next turns fit behind it. Used by one
 * thread for one request.
 */
public final class Fitter {

    /**
     * A window that moves costs the provider's prompt cache of the whole conversation, so it moves seldom and far: with 70 %,
     * after turns of 30 % of the budget.
     */
    static final double TARGET = 0.7;

    private final TokenCounter counter;
    private final BooleanSupplier expired;

    /** @param expired asked between messages; after true, nothing more is counted */
    public Fitter(TokenCounter counter, BooleanSupplier expired) {
        this.counter = counter;
        this.expired = expired;
    }

    /**
     * What is sent of a conversation.
     *
     * @param accepted from an earlier turn; kept as it is when it {@link AcceptedWindow#suits}, this tokenizer counted it and
     *     what came since fits behind it, and then nothing of it is counted again
     */
    public FitOutcome fit(Transcript transcript, FitBudget budget, @Nullable AcceptedWindow accepted) {
        try {
            Count fixed = counter.fixed(transcript);
            if (accepted != null && accepted.tokenizer() == counter.tokenizer() && accepted.suits(transcript)) {
                Tally behind = tally(transcript, accepted.messages(), transcript.size());
                long window = accepted.tokens() + behind.tokens;
                if (fixed.tokens() + window + budget.memoryFrom(accepted.firstKept()) <= budget.input()) {
                    boolean exact = accepted.exact() && behind.exact && fixed.exact();
                    return new FitPlan(
                            accepted.firstKept(), accepted.shortenedUntil(), fixed.tokens(), window, exact, true);
                }
            }
            return anew(transcript, budget, fixed);
        } catch (FailureException e) {
            // Nothing else in here fails in this way.
            return new FitOutcome.Expired();
        }
    }

    /**
     * As many of the last turns as surely fit, unshortened, by estimate and without a look at the clock: what is left when there
     * is no time to count, and no window that was accepted.
     */
    public static FitOutcome longestSafeSuffix(Transcript transcript, FitBudget budget) {
        Fitter estimating = new Fitter(new TokenCounter(Tokenizer.ESTIMATE, new TokenCache(0)), () -> false);
        Count fixed = estimating.counter.fixed(transcript);
        long room = budget.input() - budget.memory() - fixed.tokens();
        int start = transcript.currentTurn();
        long sum = estimating.tally(transcript, start, transcript.size()).tokens;
        if (sum > room) {
            return new FitOutcome.TooLong(fixed.tokens() + sum + budget.memory(), budget.input(), false);
        }
        long kept = sum;
        for (int i = start - 1; i >= 0; i--) {
            sum += estimating.whole(transcript, i).tokens();
            if (sum > room) {
                break;
            }
            if (transcript.mayBegin(i)) {
                start = i;
                kept = sum;
            }
        }
        return new FitPlan(start, 0, fixed.tokens(), kept, false, false);
    }

    /**
     * The same without counting: a token is a byte at least, but for pictures. Takes well under a millisecond for ten thousand
     * messages, and so suits an event loop.
     */
    public static FitOutcome suffixByBytes(Transcript transcript, FitBudget budget) {
        long fixed = 0;
        for (Span span : transcript.fixed().instructions()) {
            fixed += span.length();
        }
        for (Span span : transcript.fixed().tools()) {
            fixed += span.length();
        }
        long room = budget.input() - budget.memory() - fixed - TokenCounter.PER_REQUEST;
        int start = transcript.size();
        long sum = 0;
        long kept = 0;
        for (int i = transcript.size() - 1; i >= 0; i--) {
            sum += mostTokens(transcript.entry(i));
            if (sum > room) {
                break;
            }
            if (i <= transcript.currentTurn() && transcript.mayBegin(i)) {
                start = i;
                kept = sum;
            }
        }
        return start == transcript.size()
                ? new FitOutcome.TooLong(fixed + sum, budget.input(), false)
                : new FitPlan(start, 0, fixed, kept, false, false);
    }

    private static long mostTokens(Entry entry) {
        if (entry.isInstruction()) {
            return 0;
        }
        // Each few bytes of a list of blocks may be the address of a picture.
        long bytes = entry.whole().length();
        return entry.form() == ContentForm.ARRAY
                ? bytes + bytes / MessageTokens.LEAST_MEDIA_BYTES * MessageTokens.MEDIA
                : bytes;
    }

    private FitOutcome anew(Transcript transcript, FitBudget budget, Count fixed) {
        int current = transcript.currentTurn();
        long memory = budget.memoryFrom(current);
        long room = budget.input() - memory - fixed.tokens();
        Tally now = tally(transcript, current, transcript.size());
        boolean exact = fixed.exact() && now.exact;
        if (now.tokens > room) {
            return new FitOutcome.TooLong(fixed.tokens() + now.tokens + memory, budget.input(), exact);
        }
        Earlier earlier = earlier(transcript, budget, room - now.tokens);
        exact &= earlier.exact;
        long whole = earlier.whole[0] + now.tokens;
        if (earlier.from == 0 && whole + earlier.blocks[0] <= room) {
            return new FitPlan(0, 0, fixed.tokens(), whole, exact, false);
        }
        long target = Math.min(room, (long) (budget.input() * TARGET) - memory - fixed.tokens());
        if (earlier.from == 0) {
            for (int until = 0; until <= current; until++) {
                // Before it shortened, from it on whole.
                long window = earlier.small[0] - earlier.small[until] + earlier.whole[until] + now.tokens;
                if (window + earlier.blocks[0] <= target) {
                    return new FitPlan(0, until, fixed.tokens(), window, exact, false);
                }
            }
        }
        int start = Math.max(1, earlier.from);
        while (start < current
                && !(transcript.mayBegin(start)
                        && earlier.small[start] + earlier.blocks[start] + now.tokens <= target)) {
            start++;
        }
        return new FitPlan(start, current, fixed.tokens(), earlier.small[start] + now.tokens, exact, false);
    }

    /** Tokens of the messages from one on to the current turn, for each of them that could be kept. */
    private static final class Earlier {
        /** By message. */
        final long[] whole;
        /** By message, with long outputs shortened. */
        final long[] small;
        /** By message, of the memory blocks that go with them. */
        final long[] blocks;
        /** The first message that could be kept. */
        int from;

        boolean exact = true;

        Earlier(int current) {
            whole = new long[current + 1];
            small = new long[current + 1];
            blocks = new long[current + 1];
        }

        boolean fits(int from, long room) {
            return Math.min(small[from], whole[from]) + blocks[from] <= room;
        }
    }

    private Earlier earlier(Transcript transcript, FitBudget budget, long room) {
        int current = transcript.currentTurn();
        Earlier earlier = new Earlier(current);
        int from = current;
        while (from > 0 && earlier.fits(from, room)) {
            from--;
            Count count = whole(transcript, from);
            Entry entry = transcript.entry(from);
            Count less = entry.outputs().isEmpty() ? count : counter.shortened(transcript, entry);
            earlier.whole[from] = earlier.whole[from + 1] + count.tokens();
            earlier.small[from] = earlier.small[from + 1] + less.tokens();
            earlier.blocks[from] = earlier.blocks[from + 1] + budget.blocks().getOrDefault(from, 0L);
            earlier.exact &= count.exact() && less.exact();
        }
        // The last one may be what made it too much.
        earlier.from = earlier.fits(from, room) ? from : from + 1;
        return earlier;
    }

    private record Tally(long tokens, boolean exact) {}

    private Tally tally(Transcript transcript, int from, int to) {
        long tokens = 0;
        boolean exact = true;
        for (int i = from; i < to; i++) {
            Count count = whole(transcript, i);
            tokens += count.tokens();
            exact &= count.exact();
        }
        return new Tally(tokens, exact);
    }

    private Count whole(Transcript transcript, int index) {
        if (expired.getAsBoolean()) {
            throw new FailureException(FailureCode.DEADLINE_EXCEEDED, "no time is left to count");
        }
        return counter.whole(transcript, transcript.entry(index));
    }
}
