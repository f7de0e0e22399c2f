package io.recallgate.recall.database;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches over everybody who waits for the database, and refuses them all when it has fallen silent. It asks on a line
 * of its own, beside the pool: connections that are all in use say nothing about the server. Any thread.
 */
final class Heartbeat {

    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    private final Timers timers;
    private final Supplier<Pool> dial;
    private final Set<UnitOfWork<?>> callers = ConcurrentHashMap.newKeySet();

    // All below is guarded by this.

    private final Pulse pulse = new Pulse();
    private Pool line;

    /** Tells the line in use from those given up. */
    private long lines;

    private boolean underWay;
    private @Nullable Promise<Void> question;
    private Timers.@Nullable Timer timer;

    /** Tells the timer that was armed last from one that was too late to be cancelled. */
    private long timersArmed;

    private boolean closed;

    /** @param dial makes a pool of one connection, which is opened when it is needed */
    Heartbeat(Timers timers, Supplier<Pool> dial) {
        this.timers = timers;
        this.dial = dial;
        this.line = dial.get();
    }

    /** Whether callers are refused now. */
    synchronized boolean isSilent() {
        return pulse.state() == PulseState.SILENT;
    }

    /** Whether nothing has come back for so long that the server was asked, without an answer so far. */
    synchronized boolean isDoubtful() {
        return pulse.isDoubtful();
    }

    /** A unit begins to wait, and is refused if the database falls silent; {@link #left} and {@link #ended} follow. */
    void begun(UnitOfWork<?> unit) {
        callers.add(unit);
        on(pulse::begun);
        if (isSilent()) {
            unit.refuse(DatabaseFailures.silent());
        }
    }

    /** The unit's caller has its answer; the unit may still hold a connection. */
    void left(UnitOfWork<?> unit) {
        callers.remove(unit);
    }

    /** A unit has let go of the pool. */
    synchronized void ended() {
        pulse.ended();
    }

    /**
     * A unit's statements have settled.
     *
     * @param error null if all succeeded
     */
    void heard(@Nullable Throwable error) {
        Promise<Void> asked = null;
        synchronized (this) {
            if (error == null || error instanceof PgException) {
                asked = takeQuestion();
            }
        }
        on(pulse::heard);
        if (asked != null) {
            asked.tryComplete();
        }
    }

    /**
     * Asks the server, or joins whoever does.
     *
     * @return fails with the error that came back, or with {@code database-unavailable} if nothing does within {@link
     *     Pulse#ANSWER_MILLIS}
     */
    Future<Void> ask() {
        Promise<Void> asked;
        synchronized (this) {
            if (closed) {
                return Future.failedFuture(closing());
            }
            if (isSilent()) {
                return Future.failedFuture(DatabaseFailures.silent());
            }
            if (question == null) {
                question = Promise.promise();
            }
            asked = question;
        }
        on(pulse::wanted);
        return asked.future();
    }

    /** Ends the watch. Idempotent. */
    Future<Void> close() {
        Promise<Void> asked;
        Pool open;
        synchronized (this) {
            closed = true;
            disarm();
            lines++;
            open = line;
            asked = takeQuestion();
        }
        if (asked != null) {
            asked.tryFail(closing());
        }
        return open.close();
    }

    private static FailureException closing() {
        return new FailureException(FailureCode.SHUTTING_DOWN, "the database is closing");
    }

    /** Tells the pulse, and does outside the lock what it wants. */
    private void on(Supplier<Pulse.Effect> event) {
        Pulse.Effect effect;
        boolean wasSilent;
        synchronized (this) {
            if (closed) {
                return;
            }
            wasSilent = isSilent();
            effect = event.get();
            switch (effect) {
                case NOTHING -> {}
                case REST -> disarm();
                case WATCH -> arm(Pulse.QUIET_MILLIS);
                case ASK -> arm(Pulse.ANSWER_MILLIS);
                case REFUSE, REDIAL -> arm(Pulse.REDIAL_MILLIS);
            }
        }
        switch (effect) {
            case NOTHING -> {}
            case REST, WATCH -> {
                if (wasSilent) {
                    LOG.info("the database answers again");
                }
            }
            case ASK, REDIAL -> send();
            case REFUSE -> refuseAll();
        }
    }

    private void refuseAll() {
        LOG.warn("the database answers nobody; whoever needs it is refused until it does");
        FailureException silent = DatabaseFailures.silent();
        Promise<Void> asked;
        synchronized (this) {
            asked = takeQuestion();
        }
        if (asked != null) {
            asked.tryFail(silent);
        }
        callers.forEach(unit -> unit.refuse(silent));
    }

    private void arm(long millis) {
        disarm();
        long mine = timersArmed;
        timer = timers.schedule(
                TimeUnit.MILLISECONDS.toNanos(millis),
                () -> on(() -> mine == timersArmed ? pulse.timeIsUp() : Pulse.Effect.NOTHING));
    }

    private void disarm() {
        timersArmed++;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private @Nullable Promise<Void> takeQuestion() {
        Promise<Void> taken = question;
        question = null;
        return taken;
    }

    /** A question that is still under way has been given up on: the line it went out on is not trusted any more. */
    private void send() {
        Pool old = null;
        Pool open;
        long mine;
        synchronized (this) {
            if (closed) {
                return;
            }
            if (underWay) {
                old = line;
                line = dial.get();
                lines++;
            }
            underWay = true;
            open = line;
            mine = lines;
        }
        if (old != null) {
            old.close().onFailure(error -> LOG.debug("a silent connection could not be closed", error));
        }
        open.query("select 1").execute().onComplete(done -> came(mine, done.succeeded() ? null : done.cause()));
    }

    private void came(long mine, @Nullable Throwable error) {
        Promise<Void> asked;
        synchronized (this) {
            if (mine != lines) {
                return;
            }
            if (error != null && !DatabaseFailures.isFromOutside(error)) {
                // The pulse's own time decides. The question counts as under way, so the next one goes out on a new
                // line: on this one it would fail at once, behind the place of the one that was given up.
                return;
            }
            underWay = false;
            asked = takeQuestion();
        }
        on(pulse::heard);
        if (asked == null) {
            return;
        }
        if (error == null) {
            asked.tryComplete();
        } else {
            asked.tryFail(DatabaseFailures.of(error));
        }
    }
}
