package io.recallgate.gateway.runtime;

import java.util.EnumSet;
import java.util.Set;

/** Where a gateway is between start and stop. */
public enum LifecycleState {
    /** Made, nothing started. */
    NEW,
    /** Its parts are coming up; requests are told to try again. */
    STARTING,
    /** Serving, perhaps with labelled degradation. */
    READY,
    /** Taking its parts down; nothing new is admitted. */
    STOPPING,
    /** Everything that could be stopped has stopped. */
    STOPPED;

    /** The states that may follow this one. A start that fails goes down the same way as a stop. */
    public Set<LifecycleState> next() {
        return switch (this) {
            case NEW -> EnumSet.of(STARTING, STOPPING);
            case STARTING -> EnumSet.of(READY, STOPPING);
            case READY -> EnumSet.of(STOPPING);
            case STOPPING -> EnumSet.of(STOPPED);
            case STOPPED -> EnumSet.noneOf(LifecycleState.class);
        };
    }

    /** As the routes see it. */
    GatewayRuntime.Phase phase() {
        return switch (this) {
            case NEW, STARTING -> GatewayRuntime.Phase.STARTING;
            case READY -> GatewayRuntime.Phase.READY;
            case STOPPING, STOPPED -> GatewayRuntime.Phase.STOPPING;
        };
    }
}
