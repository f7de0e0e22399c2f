package io.recallgate.gateway.http.pipeline;

/** What a route asks for before it serves. */
public enum Gate {
    /** Nothing: health, and answers about routes that do not exist. Served in every phase and never counted. */
    ALWAYS,
    /** A ready gateway, no key: metrics and the API's description. */
    PUBLIC,
    /** A ready gateway and a key, as {@code Authorization: Bearer} or {@code x-recallgate-key}. */
    KEY,
    /** As {@link #KEY}, but only {@code x-recallgate-key}: {@code Authorization} is the upstream provider's. */
    OWN_KEY_HEADER
}
