package io.recallgate.gateway.conversation.turn;

/** Whose conversation interface a request speaks. */
public enum Protocol {
    /** {@code POST /v1/chat/completions}. */
    OPENAI("openai"),
    /** {@code POST /v1/messages}. */
    ANTHROPIC("anthropic");

    private final String label;

    Protocol(String label) {
        this.label = label;
    }

    /** As metrics have it. */
    public String label() {
        return label;
    }
}
