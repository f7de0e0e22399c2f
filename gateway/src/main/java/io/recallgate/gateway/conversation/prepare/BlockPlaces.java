package io.recallgate.gateway.conversation.prepare;

import io.recallgate.digest.Sha256;
import io.recallgate.gateway.conversation.reply.AssistantReply;
import io.recallgate.gateway.conversation.reply.ToolCall;
import io.recallgate.gateway.conversation.transcript.Transcript;
import java.util.List;
import java.util.Optional;

/**
 * What the blocks of memories in a conversation are kept under: for each message its chain. Only what opens a conversation
 * without a name is told by more, since any number of conversations may begin with the same words, each with what was found on
 * its day: by the chain and the first answer, which is the first thing that is its own. It is known when a block is kept, and
 * the client brings it along from then on. Of the answer the texts count without white space, and the ids of the calls, which is
 * what clients leave as it was. Two conversations whose first answers are the same, too, are one and the same text; the block that
 * was kept last is then that of both. Immutable.
 */
final class BlockPlaces {

    private static final String FORM = "recallgate opening 1 ";

    private static final int NONE = -1;

    private final Transcript transcript;
    private final boolean named;
    private final int firstAnswer;
    private final String answer;

    /**
     * Reads the first answer when it has to: not for an event loop when the body is large.
     *
     * @param named whether the client gave the conversation its name
     */
    BlockPlaces(Transcript transcript, boolean named) {
        this.transcript = transcript;
        this.named = named;
        this.firstAnswer = named ? NONE : firstAnswer(transcript);
        this.answer = firstAnswer == NONE
                ? ""
                : digest(
                        transcript.text(firstAnswer),
                        transcript.entry(firstAnswer).calls());
    }

    private static int firstAnswer(Transcript transcript) {
        for (int i = 0; i < transcript.size(); i++) {
            if (isAnswer(transcript, i)) {
                return i;
            }
        }
        return NONE;
    }

    private static boolean isAnswer(Transcript transcript, int index) {
        return transcript.entry(index).role().equals("assistant");
    }

    /** What the block of a message is kept under; empty for the opening of a conversation that has no answer yet. */
    Optional<String> of(int index) {
        if (!opens(index)) {
            return Optional.of(transcript.chain(index));
        }
        return firstAnswer == NONE ? Optional.empty() : Optional.of(opening(index, answer));
    }

    /**
     * The same in a turn that was answered.
     *
     * @param answerAt where the answer begins; from there on the request only says how it is to begin
     * @param reply with that beginning
     */
    String of(int index, int answerAt, AssistantReply reply) {
        if (!opens(index)) {
            return transcript.chain(index);
        }
        boolean answered = firstAnswer != NONE && firstAnswer < answerAt;
        return opening(
                index,
                answered
                        ? answer
                        : digest(
                                reply.text(),
                                reply.calls().stream().map(ToolCall::id).toList()));
    }

    private boolean opens(int index) {
        return !named && (firstAnswer == NONE || index < firstAnswer);
    }

    private String opening(int index, String answered) {
        return Sha256.hex(FORM + transcript.chain(index) + answered);
    }

    private static String digest(String text, List<String> calls) {
        StringBuilder said = new StringBuilder();
        text.codePoints().filter(c -> !Character.isWhitespace(c)).forEach(said::appendCodePoint);
        for (String call : calls) {
            // No text has a line break by now.
            said.append(call.isEmpty() ? "" : "\n" + call);
        }
        return Sha256.hex(said.toString());
    }
}
