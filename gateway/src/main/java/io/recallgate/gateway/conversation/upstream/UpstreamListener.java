package io.recallgate.gateway.conversation.upstream;

import io.recallgate.failure.FailureException;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;

/** Is told of an answer: its head, its pieces and its end, or at any point of a failure, after which nothing follows. */
public interface UpstreamListener {

    /**
     * The answer begins.
     *
     * @param status whatever the provider says
     * @param headers as they came
     */
    void head(int status, MultiMap headers);

    /** A piece, of any size. */
    void piece(Buffer piece);

    /** The answer is whole. */
    void end();

    /**
     * There is no answer, or it is not whole.
     *
     * @param failure {@code upstream-failed}, {@code upstream-timeout}, or what is wrong with the request
     */
    void failed(FailureException failure);
}
