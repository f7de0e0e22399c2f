package io.recallgate.embedding.worker;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.MessageCodec;
import java.util.UUID;

/**
 * Passes immutable records by reference between verticles of one process. Registered under a name and asked for by
 * that name, so an application's own default codecs are neither needed nor disturbed.
 */
public final class LocalCodec implements MessageCodec<Object, Object> {

    /** Made anew for each class loader: no application, and no second copy of this class, can have taken it. */
    private static final String NAME = "recallgate.local." + UUID.randomUUID();

    private LocalCodec() {}

    /** Registers the codec once for each Vert.x instance, however often it is asked to. */
    public static void register(Vertx vertx) {
        if (vertx.sharedData().<String, Boolean>getLocalMap("recallgate.codecs").putIfAbsent(NAME, true) == null) {
            vertx.eventBus().registerCodec(new LocalCodec());
        }
    }

    /** Options of a message that stays in this process. */
    public static DeliveryOptions options() {
        return new DeliveryOptions().setCodecName(NAME).setLocalOnly(true);
    }

    @Override
    public void encodeToWire(Buffer buffer, Object message) {
        throw new UnsupportedOperationException("stays in this process: " + message.getClass());
    }

    @Override
    public Object decodeFromWire(int position, Buffer buffer) {
        throw new UnsupportedOperationException("never leaves its process");
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
