package io.recallgate.embedding.api;

/** What a text is to the model; asymmetric models such as e5 put another prefix before each. */
public enum InputType {
    /** A question that is asked. */
    QUERY,
    /** A text that is to be found. */
    DOCUMENT
}
