package io.recallgate.gateway.http.access;

/** What a key may do. Rights do not include each other: a key lists each one it has. */
public enum Right {
    /** Recall, embed, and read memories and states. */
    READ,
    /** Write, change and remove memories, and hold conversations. */
    WRITE,
    /** Settings, workers and retries: what touches every owner. */
    ADMIN
}
