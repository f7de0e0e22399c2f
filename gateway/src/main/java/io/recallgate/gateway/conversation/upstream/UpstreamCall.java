package io.recallgate.gateway.conversation.upstream;

/** A request on its way, and its answer. On the event loop that sent it only. */
public interface UpstreamCall {

    /** Lets no more pieces come. What the provider sends meanwhile stays with it. */
    void pause();

    /** Lets pieces come again. */
    void resume();

    /**
     * Nobody wants the answer any more: ends its connection, also one that is only being made. The listener is not told
     * anything after this. Harmless when repeated or when everything is over.
     */
    void reset();
}
