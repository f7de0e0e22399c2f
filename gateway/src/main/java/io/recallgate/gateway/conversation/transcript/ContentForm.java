package io.recallgate.gateway.conversation.transcript;

/** What stands as a message's {@code content}. */
public enum ContentForm {
    /** One text. */
    STRING,
    /** Blocks or parts. */
    ARRAY,
    /** {@code null}, as of an assistant that only calls tools. */
    NULL,
    /** No such field. */
    ABSENT
}
