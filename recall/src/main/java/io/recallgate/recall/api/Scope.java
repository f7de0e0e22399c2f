package io.recallgate.recall.api;

/**
 * Whose memories. Every statement is scoped by it; there is no unscoped read (CONTRACTS C13).
 *
 * @param owner 1 to 200 characters
 * @param project up to 200 characters; empty for the owner's default project
 */
public record Scope(String owner, String project) {

    /** The owner of a gateway that has no keys and serves loopback only. */
    public static final String LOCAL_OWNER = "local";

    /** The owner of what probes write: no key speaks for it, and nothing that is asked for over HTTP or the bus is its own. */
    public static final String PROBE_OWNER = "recallgate:probes";

    /** The default project of the owner without keys. */
    public static final Scope LOCAL = new Scope(LOCAL_OWNER, "");
}
