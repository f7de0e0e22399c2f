package io.recallgate.gateway.conversation.turn;

/** Whose conversation interface a request speaks. */
public enum Protocol {
    /** {@code POST /v1/chat/completions}. */
    OPENAI,
    /** {@code POST /v1/messages}. */
    ANTHROPIC
}
