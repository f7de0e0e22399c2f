package io.recallgate.gateway.postgres;

import java.util.EnumSet;
import java.util.Set;

/** Where the embedded PostgreSQL is. */
public enum PostgresState {
    /** Being started for the first time. */
    STARTING,
    /** Accepting connections. */
    RUNNING,
    /** Died by itself; waiting to be started again, or being started. */
    RESTARTING,
    /** Being stopped by us. */
    STOPPING,
    /** Its process has ended. */
    STOPPED;

    /** The states that may follow this one. */
    public Set<PostgresState> next() {
        return switch (this) {
            case STARTING -> EnumSet.of(RUNNING, STOPPED);
            case RUNNING -> EnumSet.of(RESTARTING, STOPPING);
            case RESTARTING -> EnumSet.of(RUNNING, STOPPING);
            case STOPPING -> EnumSet.of(STOPPED);
            case STOPPED -> EnumSet.noneOf(PostgresState.class);
        };
    }
}
