package io.recallgate.gateway.conversation.reply;

import java.util.List;

/**
 * What a model answered.
 *
 * @param text that it said, empty if it only called tools
 * @param calls in order
 */
public record AssistantReply(String text, List<ToolCall> calls) {

    /** Copies the calls. */
    public AssistantReply {
        calls = List.copyOf(calls);
    }
}
