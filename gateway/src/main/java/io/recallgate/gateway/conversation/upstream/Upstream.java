package io.recallgate.gateway.conversation.upstream;

import io.vertx.core.Future;

/** Who answers a conversation. */
public interface Upstream {

    /**
     * Sends a request, once: whatever becomes of it, it is not sent again. To be called on an event loop, where the listener
     * is told everything, but nothing before this returns.
     */
    UpstreamCall send(UpstreamRequest request, UpstreamListener listener);

    /** Lets go of what it holds. */
    Future<Void> close();
}
