package io.recallgate.gateway.http.pipeline;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.recallgate.time.Timers;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.Http1xServerConnection;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets the requests of one HTTP/1 connection through one at a time. Vert.x does so too, but it keeps a few messages and
 * then reads nothing more, so that it does not see the client leave while an answer is being made. This handler stands
 * before it and goes on reading: see {@link SentAhead}. Vert.x switches reading on and off as well, for a body that is
 * taken slowly. Both get along because this handler switches it off only after Vert.x has had its say and left it on, and
 * on again before it passes anything on. Only on the connection's event loop.
 */
final class Turns extends ChannelDuplexHandler {

    /** How long reading may stand still behind one answer: a client that is answered sooner loses nothing. */
    static final long PATIENCE_MILLIS = 1_000;

    private final Timers timers;
    private final SentAhead ahead = new SentAhead();
    private Timers.@Nullable Timer timer;
    private @Nullable ChannelHandlerContext context;

    /** A request was passed on and its answer has not ended. */
    private boolean answering;

    /** The request that was passed on last has ended, or none was. */
    private boolean whole = true;

    private boolean refusing;

    /** How often reading was stopped, which tells a late timer from the present one. */
    private int stops;

    Turns(Timers timers) {
        this.timers = timers;
    }

    /** Puts one into an HTTP/1 connection. HTTP/2 needs none: there, a stream that waits does not hold up the others. */
    static Optional<Turns> install(HttpConnection connection, Timers timers) {
        // Vert.x has no public way to a connection's channel.
        if (!(connection instanceof Http1xServerConnection http1)) {
            return Optional.empty();
        }
        ChannelHandlerContext vertx = http1.channelHandlerContext();
        Turns turns = new Turns(timers);
        vertx.pipeline().addBefore(vertx.name(), "turns", turns);
        return Optional.of(turns);
    }

    /** Whether the request whose turn it is has lost a part. Nothing behind it is read. */
    boolean refusing() {
        return refusing;
    }

    /** Ends the connection at once, whatever is still to be written. */
    void cut() {
        if (context != null) {
            context.close();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof HttpObject part)) {
            ctx.fireChannelRead(message);
        } else if (!whole || isFree()) {
            pass(ctx, part);
        } else {
            ahead.add(part);
            // Within a read that has not ended, or a fast client would be far above the bound at its end.
            stopIfFull(ctx);
        }
    }

    private boolean isFree() {
        return !answering && ahead.isEmpty() && !refusing;
    }

    private void pass(ChannelHandlerContext ctx, HttpObject part) {
        if (whole) {
            answering = true;
        }
        whole = SentAhead.ends(part);
        ctx.fireChannelRead(part);
    }

    private void stopIfFull(ChannelHandlerContext ctx) {
        ChannelConfig config = ctx.channel().config();
        if (!ahead.isFull() || !config.isAutoRead()) {
            return;
        }
        ctx.fireChannelReadComplete();
        if (config.isAutoRead()) {
            ahead.stop();
            config.setAutoRead(false);
            int stop = ++stops;
            timer = timers.schedule(TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS), () -> ctx.executor()
                    .execute(() -> watch(ctx, stop)));
        }
    }

    private void watch(ChannelHandlerContext ctx, int stop) {
        // The answer, or the connection, may have ended while this was on its way.
        if (timer != null && stop == stops) {
            timer = null;
            ahead.watch();
            ctx.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        ctx.write(message, promise);
        if (answering && message instanceof LastHttpContent && !isInterim(message)) {
            answering = false;
            if (!ahead.isEmpty()) {
                // Not at once: Vert.x takes note of the end after this call.
                ctx.executor().execute(() -> next(ctx));
            }
        }
    }

    /** Such as "100 Continue", which has the form of an answer. */
    private static boolean isInterim(Object message) {
        return message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    private void next(ChannelHandlerContext ctx) {
        if (ctx.isRemoved() || ahead.isEmpty()) {
            return;
        }
        stopTimer();
        boolean stopped = ahead.reading() == SentAhead.Reading.STOPPED;
        var request = ahead.next();
        refusing = ahead.wasLast();
        if (stopped) {
            ctx.channel().config().setAutoRead(true);
        }
        request.forEach(part -> pass(ctx, part));
        whole |= refusing;
        ctx.fireChannelReadComplete();
        stopIfFull(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        end();
    }

    private void end() {
        stopTimer();
        ahead.clear();
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
