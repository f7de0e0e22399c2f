package io.recallgate.gateway.runtime;

import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.config.SettingsOperations;
import io.recallgate.gateway.conversation.evidence.Overruns;
import io.recallgate.recall.read.ReadWorkers;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/** The gateway as its routes see it. May be called on any thread. */
public interface GatewayRuntime {

    /** How far it is. */
    Phase phase();

    /**
     * The services.
     *
     * @throws io.recallgate.failure.FailureException {@code not-ready} before, {@code shutting-down} after they are
     *     there, with a hint when to try again
     */
    Services services();

    /** Threads for what is too much for an event loop; there from the beginning. */
    ReadWorkers readers();

    /** Who may have conversations now, and with whom. */
    RecallgateConfig.Conversation conversation();

    /** Told of phases of conversations that overran. */
    Overruns overruns();

    /** The live settings. */
    SettingsOperations settings();

    /**
     * Health in detail: {@code status} ({@code ready}, {@code starting}, {@code degraded}, {@code stopping}, {@code
     * unavailable}) and an object for each component ({@code database}, {@code migrations}, {@code embedding}, {@code
     * jobs}, and {@code probes} and {@code configuration} once it is open). Bounded in time, and starts no work beyond a cached database ping.
     */
    Future<JsonObject> health();

    /** Where the process is between start and stop. */
    enum Phase {
        /** Listening, but not ready. */
        STARTING,
        /** Serving, perhaps with labelled degradation. */
        READY,
        /** Admitting nothing new. */
        STOPPING
    }
}
