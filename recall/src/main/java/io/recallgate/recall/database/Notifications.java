package io.recallgate.recall.database;

import io.recallgate.time.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to one channel on a connection of its own, and connects again when that is lost. Notifications are hints: any
 * may be lost, and a new connection counts as one, since some may have been missed. Its state lives on one context.
 */
public final class Notifications {

    private static final Logger LOG = LoggerFactory.getLogger(Notifications.class);

    private static final long FIRST_WAIT_MILLIS = 500;

    private static final long MAX_WAIT_MILLIS = 30_000;

    private final Vertx vertx;
    private final DatabaseOptions options;
    private final Timers timers;
    private final String channel;
    private final Runnable hint;
    private final Context context;

    private boolean closed;
    private long waitMillis = FIRST_WAIT_MILLIS;
    private Timers.@Nullable Timer timer;
    private @Nullable PgConnection connection;

    /**
     * @param channel a plain identifier
     * @param hint runs on an event loop for each notification
     */
    public Notifications(Vertx vertx, DatabaseOptions options, Timers timers, String channel, Runnable hint) {
        if (!channel.matches("[a-z_]+")) {
            throw new IllegalArgumentException("not a plain identifier: " + channel);
        }
        this.vertx = vertx;
        this.options = options;
        this.timers = timers;
        this.channel = channel;
        this.hint = hint;
        this.context = vertx.getOrCreateContext();
    }

    /** Begins to listen; trouble is retried and logged, never reported. */
    public void start() {
        context.runOnContext(ignored -> connect());
    }

    /** Stops listening. Idempotent. */
    public Future<Void> close() {
        return Future.future(done -> context.runOnContext(ignored -> {
            closed = true;
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
            PgConnection open = connection;
            connection = null;
            if (open == null) {
                done.complete();
            } else {
                open.close().onComplete(done);
            }
        }));
    }

    private void connect() {
        timer = null;
        if (closed) {
            return;
        }
        PgConnection.connect(vertx, Database.connectOptions(options))
                .compose(opened -> {
                    if (closed) {
                        return opened.close();
                    }
                    connection = opened;
                    opened.notificationHandler(ignored -> hint.run());
                    opened.closeHandler(ignored -> context.runOnContext(gone -> reconnect(opened)));
                    return opened.query("listen " + channel).execute().mapEmpty();
                })
                .onComplete(
                        ignored -> context.runOnContext(done -> {
                            waitMillis = FIRST_WAIT_MILLIS;
                            if (!closed) {
                                hint.run();
                            }
                        }),
                        error -> {
                            LOG.debug("cannot listen to {}", channel, error);
                            context.runOnContext(ignored -> reconnect(null));
                        });
    }

    private void reconnect(@Nullable PgConnection lost) {
        if (closed || timer != null || (lost != null && lost != connection)) {
            return;
        }
        PgConnection old = connection;
        connection = null;
        if (old != null && lost == null) {
            old.close();
        }
        timer = timers.schedule(
                TimeUnit.MILLISECONDS.toNanos(waitMillis), () -> context.runOnContext(ignored -> connect()));
        waitMillis = Math.min(MAX_WAIT_MILLIS, waitMillis * 2);
    }
}
