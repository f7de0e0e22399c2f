package io.recallgate.gateway.http.pipeline;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Requests of one connection that came before the one ahead of them was answered: kept in order, up to a bound. Above the
 * bound reading stops. When that has lasted too long, reading goes on and what does not fit is dropped: the request that
 * it belongs to, or that it begins, is the last one of its connection and is to be refused. Only on the connection's event
 * loop.
 */
final class SentAhead {

    /** What is kept: some hundred small requests. A full read of a socket, another 64 KiB, may come on top. */
    static final int MAX_BYTES = 64 * 1024;

    /** What a message takes besides its bytes, which keeps bodies in tiny chunks from being a way around the bound. */
    private static final int MESSAGE_BYTES = 256;

    /** What the connection does with what comes before its turn. */
    enum Reading {
        /** Keeping it. */
        KEEPING,
        /** Not reading; the sockets' buffers fill up, and that the client goes away would not be seen. */
        STOPPED,
        /** Reading again, up to the bound, since the answer takes its time and its client may leave. */
        WATCHING,
        /** Dropping everything: a request has lost a part. */
        DROPPING;

        /** The states that may follow this one. */
        Set<Reading> next() {
            return switch (this) {
                case KEEPING -> EnumSet.of(STOPPED);
                case STOPPED -> EnumSet.of(KEEPING, WATCHING);
                case WATCHING -> EnumSet.of(KEEPING, DROPPING);
                case DROPPING -> EnumSet.noneOf(Reading.class);
            };
        }
    }

    private final Deque<HttpObject> kept = new ArrayDeque<>();
    private Reading reading = Reading.KEEPING;
    private int keptBytes;

    Reading reading() {
        return reading;
    }

    boolean isEmpty() {
        return kept.isEmpty();
    }

    int keptBytes() {
        return keptBytes;
    }

    /** Takes over {@code message}, which came before its turn. */
    void add(HttpObject message) {
        if (reading == Reading.DROPPING) {
            ReferenceCountUtil.release(message);
            return;
        }
        kept.add(message);
        keptBytes += bytes(message);
        if (reading == Reading.WATCHING && keptBytes > MAX_BYTES) {
            move(Reading.DROPPING);
            dropToHead();
        }
    }

    /** Lets go of what is there of the youngest request except its head, which is still to be answered. */
    private void dropToHead() {
        while (!(kept.getLast() instanceof HttpRequest)) {
            HttpObject part = kept.removeLast();
            keptBytes -= bytes(part);
            ReferenceCountUtil.release(part);
        }
    }

    /** Whether reading goes on though there is more than the bound. */
    boolean isFull() {
        return reading == Reading.KEEPING && keptBytes > MAX_BYTES;
    }

    /** Reading stops. */
    void stop() {
        move(Reading.STOPPED);
    }

    /** Reading has stood still for too long behind one answer and goes on. */
    void watch() {
        move(Reading.WATCHING);
    }

    /**
     * Hands out what is there of the oldest request, whose turn has come. The rest of it, if any, is no longer ahead.
     * Reading goes on unless everything is dropped.
     */
    List<HttpObject> next() {
        List<HttpObject> request = new ArrayList<>();
        HttpObject message;
        do {
            message = kept.remove();
            keptBytes -= bytes(message);
            request.add(message);
        } while (!kept.isEmpty() && !ends(message));
        if (reading == Reading.STOPPED || reading == Reading.WATCHING) {
            move(Reading.KEEPING);
        }
        return request;
    }

    /** Whether the request that {@link #next} has just handed out is the one that lost a part. */
    boolean wasLast() {
        return reading == Reading.DROPPING && kept.isEmpty();
    }

    /** Whether nothing more of the same request follows {@code message}. */
    static boolean ends(HttpObject message) {
        // What is no HTTP is a head with a failure, and the decoder gives nothing more.
        return message instanceof LastHttpContent || message.decoderResult().isFailure();
    }

    /** The connection is gone. */
    void clear() {
        kept.forEach(ReferenceCountUtil::release);
        kept.clear();
        keptBytes = 0;
    }

    private void move(Reading to) {
        if (!reading.next().contains(to)) {
            throw new IllegalStateException(reading + " is not followed by " + to);
        }
        reading = to;
    }

    private static int bytes(HttpObject message) {
        int bytes = MESSAGE_BYTES;
        if (message instanceof HttpRequest request) {
            bytes += request.uri().length();
            for (var header : request.headers()) {
                bytes += header.getKey().length() + header.getValue().length();
            }
        }
        if (message instanceof ByteBufHolder holder) {
            ByteBuf content = holder.content();
            bytes += content.readableBytes();
        }
        return bytes;
    }
}
