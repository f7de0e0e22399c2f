package io.recallgate.recall.database;

import io.netty.channel.ConnectTimeoutException;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The one table from what the database client reports to the closed failure family. */
final class DatabaseFailures {

    private static final Duration SOON = Duration.ofSeconds(1);

    private DatabaseFailures() {}

    /** The failure for the caller; never null and never the driver's own words. */
    static FailureException of(Throwable error) {
        if (error instanceof FailureException failure) {
            return failure;
        }
        if (error instanceof PgException pg) {
            return ofState(String.valueOf(pg.getSqlState()), pg);
        }
        // Callers have a queue of their own in front of the client's; here a connection that hangs has taken a place.
        if (error instanceof ConnectionPoolTooBusyException) {
            return tooManyWait().causedBy(error);
        }
        // The driver says with a bare VertxException that a connection is no longer active.
        if (error.getClass() == VertxException.class
                || error instanceof ClosedConnectionException
                || error instanceof IOException
                || error instanceof TimeoutException
                || isNotOpened(error)) {
            return unavailable(error);
        }
        return FailureException.of(error);
    }

    /** Whether the same transaction may simply run again: the server chose it as the victim of a race. */
    static boolean isRace(Throwable error) {
        return error instanceof PgException pg && isRaceState(pg.getSqlState());
    }

    static FailureException deadlineExceeded() {
        return new FailureException(FailureCode.DEADLINE_EXCEEDED, "the database did not answer before the deadline");
    }

    /** Not one caller is answered, so it is not this caller's deadline that was too short. */
    static FailureException silent() {
        return new FailureException(FailureCode.DATABASE_UNAVAILABLE, "the database answers nobody").retryAfter(SOON);
    }

    static FailureException cancelled() {
        return new FailureException(FailureCode.CANCELLED, "nobody waits for the statement any more");
    }

    static FailureException tooManyWait() {
        return new FailureException(FailureCode.OVERLOADED, "too many callers wait for a database connection")
                .retryAfter(SOON);
    }

    private static FailureException ofState(String state, PgException error) {
        if (isRaceState(state) || state.equals("23505")) {
            return new FailureException(FailureCode.CONFLICT, "somebody else changed the same thing; try again")
                    .retryAfter(SOON)
                    .causedBy(error);
        }
        return switch (state) {
            // Query cancelled, which only statement_timeout does to us: the deadline, kept by the server.
            case "57014" -> deadlineExceeded().causedBy(error);
            case "22021", "22P05" ->
                new FailureException(FailureCode.INVALID_TEXT, "text that the database cannot store").causedBy(error);
            default -> isServerTrouble(state) ? unavailable(error) : FailureException.of(error);
        };
    }

    /** Serialisation failure and deadlock. */
    private static boolean isRaceState(@Nullable String state) {
        return "40001".equals(state) || "40P01".equals(state);
    }

    /** Connection, authentication, resources, operator intervention, system and configuration errors; read-only. */
    private static boolean isServerTrouble(String state) {
        return state.startsWith("08")
                || state.startsWith("28")
                || state.startsWith("53")
                || state.startsWith("57")
                || state.startsWith("58")
                || state.startsWith("F0")
                || state.startsWith("XX")
                || state.equals("25006")
                || state.equals("25P03")
                || state.equals("3D000");
    }

    private static FailureException unavailable(Throwable error) {
        return new FailureException(FailureCode.DATABASE_UNAVAILABLE, "the database is out of reach or refuses")
                .retryAfter(SOON)
                .causedBy(error);
    }

    /**
     * Whether the error came from the server or the network, be it a refusal. All else is our own doing: patience that ran
     * out, in several types and words, or a queue of the client that is full.
     */
    static boolean isFromOutside(Throwable error) {
        return error instanceof PgException
                || error instanceof ClosedConnectionException
                || (error instanceof IOException && !(error instanceof ConnectTimeoutException))
                || (error.getClass() == VertxException.class && !isOfThePool(String.valueOf(error.getMessage())));
    }

    /** A bare exception is the pool's, in these words, or says that a connection is no longer active. */
    private static boolean isOfThePool(String message) {
        return message.startsWith("Timeout") || message.equals("Pool closed");
    }

    /** No connection came within the connect timeout. The pool has no type of its own for it. */
    private static boolean isNotOpened(Throwable error) {
        return "Timeout".equals(error.getMessage());
    }
}
