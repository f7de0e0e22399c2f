package io.recallgate.gateway.conversation.fit;

import io.recallgate.gateway.conversation.transcript.Transcript;

/**
 * What was sent of a conversation in a turn that went well. As long as the next turns fit behind it, they are sent the same way,
 * so that the provider's prompt cache goes on matching.
 *
 * @param firstKept the first message that was sent
 * @param shortenedUntil before which message long outputs were shortened
 * @param messages how many messages the conversation had
 * @param chain of the last of them
 * @param tokens of the messages that were sent, without what goes along with every turn
 * @param exact whether they were counted, all of them
 * @param tokenizer that counted them; for another model they are another number
 */
public record AcceptedWindow(
        int firstKept,
        int shortenedUntil,
        int messages,
        String chain,
        long tokens,
        boolean exact,
        Tokenizer tokenizer) {

    /**
     * Whether it is a window of this conversation: nothing in it has changed, and it begins where a conversation may begin. A
     * conversation that has become shorter than it is another one.
     */
    public boolean suits(Transcript transcript) {
        return transcript.hasChain(messages - 1, chain)
                && firstKept >= 0
                && firstKept <= transcript.currentTurn()
                && shortenedUntil <= transcript.currentTurn()
                && transcript.mayBegin(firstKept);
    }
}
