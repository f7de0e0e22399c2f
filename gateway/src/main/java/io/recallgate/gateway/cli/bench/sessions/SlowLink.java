package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.time.Timers;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A way to a server that can be told to pass on what the server says only later. Thread-safe. */
final class SlowLink implements AutoCloseable {

    private static final long BOUND_SECONDS = 10;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Timers timers = new VertxTimers(vertx);
    private final NetClient client = vertx.createNetClient();
    private final int port;
    private volatile long delayNanos;

    /** Listens on a free port of the loopback address. */
    SlowLink(String host, int serverPort) {
        try {
            port = vertx.createNetServer()
                    .connectHandler(socket -> connect(socket, host, serverPort))
                    .listen(0, "127.0.0.1")
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(BOUND_SECONDS, TimeUnit.SECONDS)
                    .actualPort();
        } catch (ExecutionException | TimeoutException e) {
            vertx.close();
            throw new CommandFailedException("no way to the database can be made: " + e, e);
        } catch (InterruptedException e) {
            vertx.close();
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while starting", e);
        }
    }

    int port() {
        return port;
    }

    /** From now on. */
    void delay(long millis) {
        delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void connect(NetSocket near, String host, int serverPort) {
        near.pause();
        near.exceptionHandler(broken -> near.close());
        client.connect(serverPort, host).onFailure(refused -> near.close()).onSuccess(far -> {
            far.exceptionHandler(broken -> far.close());
            near.closeHandler(ended -> far.close());
            Deque<Buffer> late = new ArrayDeque<>();
            far.handler(piece -> {
                if (delayNanos == 0 && late.isEmpty()) {
                    near.write(piece);
                } else {
                    late.add(piece);
                    // Each timer passes on the oldest, so the order stays.
                    timers.schedule(Math.max(1, delayNanos), () -> near.write(late.remove()));
                }
            });
            far.closeHandler(ended -> near.close());
            near.handler(far::write);
            near.resume();
        });
    }

    @Override
    public void close() {
        vertx.close();
    }
}
