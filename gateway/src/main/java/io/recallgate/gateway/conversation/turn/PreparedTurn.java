package io.recallgate.gateway.conversation.turn;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;

/** A turn that is ready to be sent. On the request's event loop only. */
public interface PreparedTurn {

    /** The upstream's body: these pieces, one after the other. */
    List<Buffer> body();

    /** What was done, as {@code x-recallgate-…} headers of the answer. */
    Map<String, String> labels();

    /** The model that the client named, empty when it named none. */
    String model();

    /** Whether the client asked for a stream. */
    boolean streams();

    /**
     * Who reads the answer while it passes.
     *
     * @param status of the upstream's answer
     * @param contentType of the upstream's answer, empty if it has none
     */
    ResponseTap tap(int status, String contentType);

    /**
     * Remembers the turn, once: called after an answer that was accepted was relayed whole to its client. Does nothing when
     * the turn is not to be remembered, or when the tap saw that the answer is not a whole one.
     *
     * @return fails when the turn could not be remembered; the client has its answer all the same
     */
    Future<Void> commit();
}
