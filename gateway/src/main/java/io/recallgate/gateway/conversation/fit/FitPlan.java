package io.recallgate.gateway.conversation.fit;

import io.recallgate.gateway.conversation.transcript.Transcript;
import java.util.ArrayList;
import java.util.List;

/**
 * What is sent of a conversation.
 *
 * @param firstKept the first message that is sent; those before it are left out but for the instructions among them
 * @param shortenedUntil before which message long outputs are shortened
 * @param fixedTokens of what goes along with every turn
 * @param windowTokens of the messages that are sent
 * @param exact whether the tokens were counted, all of them
 * @param accepted whether it goes on with an accepted window
 */
public record FitPlan(
        int firstKept, int shortenedUntil, long fixedTokens, long windowTokens, boolean exact, boolean accepted)
        implements FitOutcome {

    /** Everything as it came; the tokens are not known. */
    public static final FitPlan WHOLE = new FitPlan(0, 0, 0, 0, false, false);

    /** Tokens without memory blocks. */
    public long tokens() {
        return fixedTokens + windowTokens;
    }

    /** Whether all messages are sent as they came. */
    public boolean isWhole() {
        return firstKept == 0 && shortenedUntil == 0;
    }

    /** How many messages are left out. */
    public int leftOut(Transcript transcript) {
        int left = 0;
        for (int i = 0; i < firstKept; i++) {
            left += transcript.entry(i).isInstruction() ? 0 : 1;
        }
        return left;
    }

    /** The outputs that are shortened, in the order of their bytes. */
    public List<Shortening> shortenings(Transcript transcript) {
        List<Shortening> all = new ArrayList<>();
        for (int i = firstKept; i < shortenedUntil; i++) {
            all.addAll(Shortening.of(transcript.body().bytes(), transcript.entry(i)));
        }
        return all;
    }

    /**
     * The window to accept when the turn goes well.
     *
     * @param tokenizer that the plan was made with
     */
    public AcceptedWindow window(Transcript transcript, Tokenizer tokenizer) {
        int last = transcript.size() - 1;
        return new AcceptedWindow(
                firstKept, shortenedUntil, transcript.size(), transcript.chain(last), windowTokens, exact, tokenizer);
    }
}
