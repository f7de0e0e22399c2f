package io.recallgate.gateway.conversation.turn;

import io.vertx.core.buffer.Buffer;

/** Reads an answer on its way to the client. Bounded: what is too long to be remembered is not kept. */
public interface ResponseTap {

    /** One that reads nothing. */
    ResponseTap NONE = new ResponseTap() {
        @Override
        public void chunk(Buffer piece) {}

        @Override
        public void end() {}
    };

    /** A piece, not compressed, of any size and cut anywhere. */
    void chunk(Buffer piece);

    /** The upstream ended its answer in order. */
    void end();
}
