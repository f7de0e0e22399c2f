package io.recallgate.gateway.conversation.prepare;

import io.recallgate.gateway.conversation.fit.AcceptedWindow;
import io.recallgate.gateway.conversation.fit.Tokenizer;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.TurnRequest;
import io.recallgate.gateway.conversation.window.Checkpoints;
import io.recallgate.recall.api.Checkpoint;
import io.recallgate.recall.api.Conversation;
import io.recallgate.recall.api.ConversationService;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where a request stands in its conversation. On the request's event loop. */
final class TurnSession {

    /** What is asked for: more than are given, since some are in the conversation itself. */
    private static final int ASKED_HITS = 30;

    /** A question is the end of what a user wrote: what is pasted stands before it. */
    private static final int QUESTION_CHARS = 2_000;

    private static final int NAME_DIGITS = 32;

    private final Transcript transcript;
    private final String name;
    private final boolean named;
    private final String question;
    private final BlockPlaces places;
    private List<Checkpoint> checkpoints = List.of();
    private boolean known;

    /** Reads what is asked, which is as long as the newest message: not for an event loop when the body is large. */
    TurnSession(TurnRequest request, Transcript transcript) {
        this.transcript = transcript;
        this.question = takesMemories() ? end(transcript.text(transcript.currentTurn())) : "";
        String given = request.session();
        this.named = given != null;
        this.places = new BlockPlaces(transcript, named);
        // A client that names no session has one all the same: its conversation begins the same way each time.
        this.name = given == null ? "auto-" + transcript.chain(0).substring(0, NAME_DIGITS) : given;
    }

    String name() {
        return name;
    }

    Transcript transcript() {
        return transcript;
    }

    /** What the blocks of the messages that may have one are kept under, the newest first. */
    List<String> chains() {
        List<String> chains = new ArrayList<>();
        for (int i = transcript.size() - 1; i >= 0 && chains.size() < ConversationService.MAX_CHAINS; i--) {
            if (transcript.entry(i).userTurn()) {
                places.of(i).ifPresent(chains::add);
            }
        }
        return Collections.unmodifiableList(chains);
    }

    /** Whether the newest message can have a block: a user speaks in it. */
    boolean takesMemories() {
        return transcript.entry(transcript.currentTurn()).userTurn();
    }

    /** Whether nothing has followed what the user said, such as the result of a tool. */
    boolean isNewQuestion() {
        return takesMemories() && transcript.currentTurn() == transcript.size() - 1;
    }

    /**
     * Whether the newest message was sent before and something has followed it: what was not put into it then is not put into it
     * now, since the provider's cache has all that followed behind it as it was.
     */
    boolean isUnderway() {
        return !isNewQuestion() && sentBefore() > transcript.currentTurn();
    }

    /** Whether the client gave it its name: else another conversation may have begun with the same words. */
    boolean isNamed() {
        return named;
    }

    /**
     * After the last message that is not the beginning of the answer, with which a client may prescribe how that begins.
     */
    int end() {
        int end = transcript.size();
        while (end > 0 && isAnswer(end - 1)) {
            end--;
        }
        return end;
    }

    /**
     * The first message that this turn brings: what stands before it was answered by others, and only they knew whether it was to
     * be remembered.
     */
    int brought() {
        int from = end();
        while (from > 0 && !isAnswer(from - 1)) {
            from--;
        }
        return from;
    }

    private boolean isAnswer(int index) {
        return transcript.entry(index).role().equals("assistant");
    }

    /** What blocks are kept under. */
    BlockPlaces places() {
        return places;
    }

    /** What is recalled for this turn, empty when the user said nothing in words. */
    Optional<RecallRequest> question(Deadline deadline, CancelSignal cancel) {
        if (question.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new RecallRequest(question, RecallMode.HYBRID, ASKED_HITS, null, Set.of(), false, deadline, cancel));
    }

    private static String end(String text) {
        String said = text.strip();
        int from = Math.max(0, said.length() - QUESTION_CHARS);
        from += from > 0 && Character.isLowSurrogate(said.charAt(from)) ? 1 : 0;
        return said.substring(from);
    }

    /** What the database knows of it. */
    void found(Conversation conversation) {
        checkpoints = conversation.checkpoints();
        known = true;
    }

    /** What this node knows of it, which may be less. Does nothing when the database has answered. */
    void guess(List<Checkpoint> lately) {
        checkpoints = known ? checkpoints : lately;
    }

    /** The window to go on with, empty when none suits or other tokens were counted. */
    Optional<AcceptedWindow> accepted(Tokenizer tokenizer) {
        return Checkpoints.choose(
                checkpoints.stream()
                        .filter(checkpoint -> checkpoint.tokenizer().equals(tokenizer.name()))
                        .map(checkpoint -> window(checkpoint, tokenizer))
                        .toList(),
                transcript);
    }

    private static AcceptedWindow window(Checkpoint checkpoint, Tokenizer tokenizer) {
        return new AcceptedWindow(
                checkpoint.windowStart(),
                checkpoint.shortenedUntil(),
                checkpoint.messages(),
                checkpoint.chain(),
                checkpoint.windowTokens(),
                checkpoint.counted(),
                tokenizer);
    }

    /** The same as it is kept. */
    static Checkpoint checkpoint(AcceptedWindow window) {
        return new Checkpoint(
                window.chain(),
                window.messages(),
                window.firstKept(),
                window.shortenedUntil(),
                window.tokens(),
                window.exact(),
                window.tokenizer().name());
    }

    /** How many of its messages an accepted turn has sent. */
    private int sentBefore() {
        int most = 0;
        for (Checkpoint checkpoint : checkpoints) {
            if (checkpoint.messages() > most && transcript.hasChain(checkpoint.messages() - 1, checkpoint.chain())) {
                most = checkpoint.messages();
            }
        }
        return most;
    }
}
