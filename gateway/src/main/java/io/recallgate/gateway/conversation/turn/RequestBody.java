package io.recallgate.gateway.conversation.turn;

/** The bytes of a request's JSON, whole and not compressed. Shared by all who look at them, and never changed. */
public final class RequestBody {

    private final byte[] bytes;

    /** @param bytes handed over; the caller does not use them any more */
    public RequestBody(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The bytes themselves and no copy, since they may be 32 MiB: read only. */
    public byte[] bytes() {
        return bytes;
    }

    /** How many there are. */
    public int length() {
        return bytes.length;
    }
}
