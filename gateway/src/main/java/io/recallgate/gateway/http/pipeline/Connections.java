package io.recallgate.gateway.http.pipeline;

import io.recallgate.time.Timers;
import io.vertx.core.http.HttpConnection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds the connections of all servers on one set of routes: their number, how long one may stay before its first
 * request is whole, and what its client may send ahead of the answer that it waits for. Everything behind is bounded by
 * requests. Thread-safe.
 */
public final class Connections {

    /** Twice the requests that are served at once; an idle connection costs some 10 KiB. */
    public static final int MAX_OPEN = 2_048;

    /** As long as a body may take: a head is far smaller. */
    static final long FIRST_REQUEST_MILLIS = 30_000;

    private final Timers timers;
    private final int most;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<HttpConnection, Timers.Timer> silent = new ConcurrentHashMap<>();
    private final ConcurrentMap<HttpConnection, Turns> turns = new ConcurrentHashMap<>();

    /**
     * For the servers of one set of routes.
     *
     * @param timers end connections that never ask for anything
     * @param most open ones
     */
    public Connections(Timers timers, int most) {
        this.timers = timers;
        this.most = most;
    }

    /** Takes a connection in, or closes it when there are too many. Called on the connection's event loop. */
    public void opened(HttpConnection connection) {
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            connection.close();
            return;
        }
        silent.put(connection, timers.schedule(TimeUnit.MILLISECONDS.toNanos(FIRST_REQUEST_MILLIS), connection::close));
        Turns.install(connection, timers).ifPresent(installed -> turns.put(connection, installed));
        connection.closeHandler(closed -> {
            open.decrementAndGet();
            turns.remove(connection);
            heard(connection);
        });
    }

    /** A request has come on this connection. */
    public void heard(HttpConnection connection) {
        Timers.Timer timer = silent.remove(connection);
        if (timer != null) {
            timer.cancel();
        }
    }

    /**
     * Whether the request whose turn it is on this connection has lost a part, because too much was sent ahead of an answer
     * that took its time. It is to be refused, and the connection to end. Called on the connection's event loop.
     */
    boolean refuses(HttpConnection connection) {
        Turns of = turns.get(connection);
        return of != null && of.refusing();
    }

    /**
     * Ends a connection whose client does not take its answer. An orderly close would wait for that. Called on the
     * connection's event loop.
     */
    void cut(HttpConnection connection) {
        Turns of = turns.get(connection);
        if (of == null) {
            connection.close();
        } else {
            of.cut();
        }
    }

    int open() {
        return open.get();
    }
}
