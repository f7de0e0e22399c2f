package io.recallgate.gateway.cli.bench.sessions;

import java.util.Locale;

/** What goes on while turns are measured. */
public enum Scenario {
    /** Nothing else: the backlog of embeddings is worked off. */
    IDLE("nothing else", true),
    /** Every question of the embedding server's is refused a connection. */
    EMBEDDINGS_DOWN("the embedding server refuses connections", true),
    /** The embedding server takes questions and never answers. */
    EMBEDDINGS_HUNG("the embedding server never answers", true),
    /** The embedding server answers late. */
    EMBEDDINGS_SLOW("the embedding server takes 0.1 to 2 s", false),
    /** The threads of the read workers stand still. */
    READ_WORKERS_HUNG("the read workers' threads are stopped", false),
    /** Each answer of the database comes late. */
    DATABASE_SLOW("each answer of the database takes 0.4 s more", false),
    /** Every other request is given up once and sent again. */
    CANCELLATIONS("every other request is given up once", false),
    /** Many sessions at once, each waiting for its own answers only. */
    CONCURRENT("many sessions at once", false),
    /** The gateway is killed now and then, and started anew on what it left. */
    RESTART("the gateway is killed now and then", false),
    /** Memories are being embedded by the local model. The last one: it leaves work behind. */
    BACKLOG("a backlog of embeddings is worked off meanwhile", false);

    private final String about;
    private final boolean healthy;

    Scenario(String about, boolean healthy) {
        this.about = about;
        this.healthy = healthy;
    }

    /** For people. */
    public String about() {
        return about;
    }

    /** Whether its p95 has a goal. */
    public boolean isHealthy() {
        return healthy;
    }

    /** Whether embeddings come from a scripted server instead of the local model. */
    boolean usesScriptedEmbeddings() {
        return this == EMBEDDINGS_DOWN || this == EMBEDDINGS_HUNG || this == EMBEDDINGS_SLOW;
    }

    /** Whether a turn may be refused, with a hint when to come back, because nothing safe can be sent. */
    boolean mayRefuse() {
        return this == READ_WORKERS_HUNG || this == DATABASE_SLOW || this == CONCURRENT;
    }

    /** As options and figures have it: {@code embeddings-hung}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
