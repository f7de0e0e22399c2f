package io.recallgate.gateway.conversation.upstream;

import java.util.EnumSet;
import java.util.Set;

/** How far a call to a provider is. The legal edges are those of the architecture's diagram; no other move is made. */
public enum CallState {
    /** It has no connection yet. */
    CONNECTING,
    /** It is being sent, or was, and is not answered. */
    SENDING,
    /** Its answer is coming. */
    RECEIVING,
    /** Its answer has come, or nobody is told of it any more. */
    OVER;

    /** The states that may follow this one. */
    public Set<CallState> next() {
        return switch (this) {
            case CONNECTING -> EnumSet.of(SENDING, OVER);
            case SENDING -> EnumSet.of(RECEIVING, OVER);
            case RECEIVING -> EnumSet.of(OVER);
            case OVER -> EnumSet.noneOf(CallState.class);
        };
    }
}
