package io.recallgate.gateway.http;

import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The way to a database, with troubles of its own. Everything happens on one event loop. */
final class DatabaseProxy implements AutoCloseable {

    /** What becomes of what passes. */
    enum Mode {
        PASS,
        /** Nothing passes; what came meanwhile passes when it is over. */
        HOLD,
        /** Everything comes a little later. */
        SLOW,
        /** Whoever sends something is cut off, and may come again. */
        CUT,
        /** Everybody is cut off, and nobody is let in. */
        GONE,
        /** Everybody is cut off, and nobody listens. */
        REFUSED
    }

    private static final long SLOW_MILLIS = 20;

    final int port;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final NetClient client = vertx.createNetClient();
    private final List<NetSocket> open = new ArrayList<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private final String host;
    private final int serverPort;
    private volatile Mode mode = Mode.PASS;
    private NetServer server;

    DatabaseProxy(String host, int serverPort) {
        this.host = host;
        this.serverPort = serverPort;
        server = listen(0);
        port = server.actualPort();
    }

    private NetServer listen(int at) {
        return TestGateway.await(
                vertx.createNetServer().connectHandler(this::accept).listen(at, "127.0.0.1"));
    }

    /** From now on. Called by one thread. */
    void mode(Mode next) {
        if (next == Mode.REFUSED) {
            TestGateway.await(server.close());
        } else if (mode == Mode.REFUSED) {
            server = listenAgain();
        }
        mode = next;
        vertx.runOnContext(turn -> {
            if (next == Mode.GONE || next == Mode.REFUSED) {
                List.copyOf(open).forEach(NetSocket::close);
            } else if (next != Mode.HOLD) {
                List<Runnable> held = List.copyOf(waiting);
                waiting.clear();
                held.forEach(Runnable::run);
            }
        });
    }

    /** On the port that the gateway knows. It was free for a while, and may be another's for a moment. */
    private NetServer listenAgain() {
        Deadline deadline = Deadline.afterMillis(SystemClock.INSTANCE, 60_000);
        while (true) {
            try {
                return listen(port);
            } catch (RuntimeException taken) {
                if (deadline.isPassed()) {
                    throw taken;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    private void accept(NetSocket in) {
        if (mode == Mode.GONE) {
            in.close();
            return;
        }
        in.pause();
        client.connect(serverPort, host)
                .onSuccess(out -> {
                    join(in, out, true);
                    join(out, in, false);
                    in.resume();
                })
                .onFailure(refused -> in.close());
    }

    private void join(NetSocket from, NetSocket to, boolean asks) {
        open.add(from);
        from.handler(piece -> pass(piece, from, to, asks)).closeHandler(closed -> {
            open.remove(from);
            to.close();
        });
    }

    private void pass(Buffer piece, NetSocket from, NetSocket to, boolean asks) {
        switch (mode) {
            case HOLD -> waiting.add(() -> to.write(piece));
            case SLOW -> vertx.setTimer(SLOW_MILLIS, late -> to.write(piece));
            case CUT -> {
                if (asks) {
                    from.close();
                } else {
                    to.write(piece);
                }
            }
            default -> to.write(piece);
        }
    }

    @Override
    public void close() {
        TestGateway.await(vertx.close());
    }
}
