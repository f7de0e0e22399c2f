package io.recallgate.embedding.wire;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;

/**
 * The event bus codec of what dispatcher and workers say to each other. Within a process the immutable records pass by
 * reference; between nodes they are written and read. Registered under a name and asked for by that name, so an
 * application's own default codecs are neither needed nor disturbed. Thread-safe.
 */
public final class WorkerCodec implements MessageCodec<Object, Object> {

    /** Travels with each message, so it is the same on all nodes. */
    static final String NAME = "recallgate.worker";

    /** First byte of each message; another number is another layout. */
    static final int VERSION = 2;

    private static final int HEAD_BYTES = Byte.BYTES + Byte.BYTES + Integer.BYTES;

    WorkerCodec() {}

    /** Left in a Vert.x instance that has the codec; of this class, so that a second copy of the library is noticed. */
    private enum Mark implements Shareable {
        REGISTERED
    }

    /**
     * Registers the codec once for each Vert.x instance, however often it is asked to.
     *
     * @throws IllegalStateException if the application, or a copy of this library from another class loader, has taken
     *     the codec's name
     */
    public static void register(Vertx vertx) {
        LocalMap<String, Shareable> codecs = vertx.sharedData().getLocalMap("recallgate.codecs");
        Shareable before = codecs.putIfAbsent(NAME, Mark.REGISTERED);
        if (before == Mark.REGISTERED) {
            return;
        }
        if (before != null) {
            throw new IllegalStateException("another copy of Recallgate's embedding pool runs in this Vert.x instance:"
                    + " load the library by one class loader");
        }
        try {
            vertx.eventBus().registerCodec(new WorkerCodec());
        } catch (IllegalStateException e) {
            codecs.remove(NAME);
            throw e;
        }
    }

    /** Options of a message to or from a worker of this process; its addresses are not announced to other nodes. */
    public static DeliveryOptions options() {
        return new DeliveryOptions().setCodecName(NAME).setLocalOnly(true);
    }

    /**
     * Appends a message.
     *
     * @throws IllegalArgumentException for anything that is no message of the protocol, or holds invalid Unicode; the
     *     buffer is left as it was before
     */
    @Override
    public void encodeToWire(Buffer buffer, Object message) {
        Kind kind = Kind.of(message);
        Buffer fields = Buffer.buffer();
        new MessageEncoder(new WireWriter(fields)).fields(message);
        new WireWriter(buffer).octet(VERSION).octet(kind.number()).int32(fields.length());
        buffer.appendBuffer(fields);
    }

    /**
     * Reads the message that begins at {@code position}.
     *
     * @throws WireFormatException for bytes that are none; nothing is allocated beyond what the buffer holds
     */
    @Override
    public Object decodeFromWire(int position, Buffer buffer) {
        if (position < 0 || position > buffer.length()) {
            throw new WireFormatException("the message begins outside of the buffer");
        }
        WireReader head = new WireReader(buffer, position, buffer.length());
        int version = head.octet("version");
        if (version != VERSION) {
            throw new WireFormatException("version " + version + " is not known here; this is " + VERSION);
        }
        Kind kind = head.constant("kind", Kind.values(), Kind::number);
        int length = head.natural("length");
        int begin = position + HEAD_BYTES;
        if (length > buffer.length() - begin) {
            throw new WireFormatException("the message is cut off");
        }
        WireReader fields = new WireReader(buffer, begin, begin + length);
        Object message = new MessageDecoder(fields).fields(kind);
        fields.finish();
        return message;
    }

    @Override
    public Object transform(Object message) {
        return message;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte systemCodecID() {
        return -1;
    }
}
