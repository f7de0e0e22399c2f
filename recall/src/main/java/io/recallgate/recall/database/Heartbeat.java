package io.recallgate.recall.database;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches over everybody who waits for the database, and refuses them all when it has fallen silent. It asks on a line
 * of its own, beside the pool: connections that are all in use say nothing about the server. Any thread.
 *
 * <p>What the pulse decides is carried out on what was there when it decided: whoever comes later is not meant.
 */
final class Heartbeat {

    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    /** TCP, TLS and a password take up to eight round trips: this allows 375 ms for each. */
    static final long OPEN_MILLIS = 3_000;

    private final Timers timers;
    private final Supplier<Pool> dial;
    private final BooleanSupplier mayGiveUp;
    private final Supplier<Future<Boolean>> renew;

    // All below is guarded by this.

    private final Pulse pulse = new Pulse();
    private final Set<UnitOfWork<?>> callers = new HashSet<>();
    private Line line;
    private boolean underWay;
    private @Nullable Promise<Void> question;
    private Timers.@Nullable Timer timer;

    /** Tells the timer that was armed last from one that was too late to be cancelled. */
    private long timersArmed;

    private boolean closed;

    /** A connection to ask on. It is opened when it is needed. */
    private static final class Line {
        private final Pool pool;
        /** Dialed because the one before was silent, and not answered yet. */
        private boolean instead;

        private @Nullable SqlConnection open;
        /** Our own patience ended before it was open. */
        private boolean failed;

        Line(Pool pool, boolean instead) {
            this.pool = pool;
            this.instead = instead;
        }

        /** Whether a question that is under way on it is not going to be answered. */
        boolean isGivenUp() {
            return open != null || failed;
        }
    }

    /** What is to be done without the lock. */
    private record Order(
            Pulse.Effect effect,
            boolean wasSilent,
            List<UnitOfWork<?>> refused,
            @Nullable Promise<Void> asked,
            @Nullable Line asks,
            @Nullable Line old) {}

    /**
     * @param dial makes a pool of one connection, which is opened when it is needed
     * @param mayGiveUp counts a line that is going to be closed without an answer; false if it must be kept
     * @param renew closes all other connections: a silent database has answered, but on a new connection. Completes
     *     when they are closed and callers get new ones; with false if they are kept, and it counts as silent on
     */
    Heartbeat(Timers timers, Supplier<Pool> dial, BooleanSupplier mayGiveUp, Supplier<Future<Boolean>> renew) {
        this.timers = timers;
        this.dial = dial;
        this.mayGiveUp = mayGiveUp;
        this.renew = renew;
        this.line = new Line(dial.get(), false);
    }

    /** Whether callers are refused now. */
    synchronized boolean isSilent() {
        return pulse.state() == PulseState.SILENT;
    }

    /** A unit begins to wait, and is refused if the database falls silent; {@link #left} and {@link #ended} follow. */
    void begun(UnitOfWork<?> unit) {
        boolean silent;
        Order order;
        synchronized (this) {
            callers.add(unit);
            order = decide(pulse::begun);
            silent = isSilent();
        }
        carryOut(order);
        if (silent) {
            unit.refuse(DatabaseFailures.silent());
        }
    }

    /** The unit's caller has its answer; the unit may still hold a connection. */
    synchronized void left(UnitOfWork<?> unit) {
        callers.remove(unit);
    }

    /** A unit has let go of the pool. */
    synchronized void ended() {
        pulse.ended();
    }

    /**
     * A unit's statements have settled. An error that is the unit's own says nothing of the database.
     *
     * @param error null if all succeeded
     */
    void heard(@Nullable Throwable error) {
        if (error != null && !DatabaseFailures.isFromOutside(error)) {
            return;
        }
        Promise<Void> asked = null;
        Order order;
        synchronized (this) {
            // A connection that was lost is a sign of life, and no answer to whoever wants to know.
            if (error == null || DatabaseFailures.of(error).code() != FailureCode.DATABASE_UNAVAILABLE) {
                asked = takeQuestion();
            }
            order = decide(pulse::heard);
        }
        carryOut(order);
        if (asked != null) {
            asked.tryComplete();
        }
    }

    /**
     * Asks the server, or joins whoever does.
     *
     * @return fails with the error that came back, or with {@code database-unavailable} if nothing does within {@link
     *     Pulse#ANSWER_MILLIS}, or within {@link #OPEN_MILLIS} while there is no connection to ask on
     */
    Future<Void> ask() {
        Promise<Void> asked;
        Order order;
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
            order = decide(pulse::wanted);
        }
        carryOut(order);
        return asked.future();
    }

    /** Ends the watch. Idempotent. */
    Future<Void> close() {
        Promise<Void> asked;
        Pool open;
        synchronized (this) {
            closed = true;
            disarm();
            open = line.pool;
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

    private void on(Supplier<Pulse.Effect> event) {
        Order order;
        synchronized (this) {
            order = decide(event);
        }
        carryOut(order);
    }

    /** Tells the pulse, and takes down what is to be done and to whom. Only with the lock. */
    private Order decide(Supplier<Pulse.Effect> event) {
        if (closed) {
            return new Order(Pulse.Effect.NOTHING, false, List.of(), null, null, null);
        }
        boolean wasSilent = isSilent();
        Pulse.Effect effect = event.get();
        List<UnitOfWork<?>> refused = List.of();
        Promise<Void> asked = null;
        Line before = line;
        switch (effect) {
            case NOTHING -> {}
            case REST -> disarm();
            case WATCH -> arm(Pulse.QUIET_MILLIS);
            case ASK -> {
                if (underWay && line.isGivenUp() && mayGiveUp.getAsBoolean()) {
                    line = new Line(dial.get(), false);
                }
                arm(line.open == null ? OPEN_MILLIS : Pulse.ANSWER_MILLIS);
            }
            case REFUSE -> {
                refused = List.copyOf(callers);
                asked = takeQuestion();
                arm(pulse.redialMillis());
            }
            case REDIAL -> {
                if (mayGiveUp.getAsBoolean()) {
                    line = new Line(dial.get(), true);
                }
                arm(pulse.redialMillis());
            }
        }
        boolean asks = effect == Pulse.Effect.ASK || effect == Pulse.Effect.REDIAL;
        boolean anew = asks && (line != before || !underWay);
        underWay |= asks;
        return new Order(effect, wasSilent, refused, asked, anew ? line : null, line == before ? null : before);
    }

    private void carryOut(Order order) {
        switch (order.effect()) {
            case REFUSE -> {
                LOG.warn("the database answers nobody; whoever needs it is refused until it does");
                FailureException silent = DatabaseFailures.silent();
                if (order.asked() != null) {
                    order.asked().tryFail(silent);
                }
                order.refused().forEach(unit -> unit.refuse(silent));
            }
            case REST, WATCH -> {
                if (order.wasSilent()) {
                    LOG.info("the database answers again");
                }
            }
            case NOTHING, ASK, REDIAL -> {}
        }
        if (order.old() != null) {
            order.old().pool.close().onFailure(error -> LOG.debug("a silent connection could not be closed", error));
        }
        if (order.asks() != null) {
            ask(order.asks());
        }
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

    private void ask(Line on) {
        SqlConnection open;
        synchronized (this) {
            open = on.open;
        }
        if (open != null) {
            ask(on, open);
        } else {
            on.pool.getConnection().onComplete(opened -> opened(on, opened), error -> came(on, error));
        }
    }

    private void opened(Line on, SqlConnection connection) {
        synchronized (this) {
            if (on != line || closed) {
                return;
            }
            on.open = connection;
            // The question has its own time, which begins now.
            if (pulse.state() == PulseState.ASKING) {
                arm(Pulse.ANSWER_MILLIS);
            }
        }
        connection.closeHandler(ignored -> lost(on, connection));
        ask(on, connection);
    }

    private void ask(Line on, SqlConnection open) {
        open.query("select 1").execute().onComplete(done -> {
            if (done.failed()) {
                lost(on, open);
                open.close().onFailure(error -> LOG.debug("a connection could not be given back", error));
            }
            came(on, done.succeeded() ? null : done.cause());
        });
    }

    private synchronized void lost(Line on, SqlConnection connection) {
        if (on.open == connection) {
            on.open = null;
        }
    }

    private void came(Line from, @Nullable Throwable error) {
        boolean onlyNew;
        synchronized (this) {
            if (from != line || closed) {
                return;
            }
            if (error != null && !DatabaseFailures.isFromOutside(error)) {
                // The pulse's own time decides. The question counts as under way, so the next one goes out on a new
                // line: on this one it would fail at once, behind the place of the one that was given up.
                from.failed = true;
                return;
            }
            onlyNew = from.instead && isSilent();
        }
        if (!onlyNew) {
            answered(from, error);
            return;
        }
        // Be it a refusal: what was open was silent all the time, and somebody is there.
        renew.get().onComplete(renewed -> {
            if (renewed.succeeded() && renewed.result()) {
                answered(from, error);
            }
        });
    }

    private void answered(Line from, @Nullable Throwable error) {
        Promise<Void> asked;
        Order order;
        synchronized (this) {
            if (from != line) {
                return;
            }
            underWay = false;
            from.instead = false;
            asked = takeQuestion();
            order = decide(pulse::heard);
        }
        carryOut(order);
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
