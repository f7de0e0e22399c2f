package io.recallgate.gateway.conversation.prepare;

import java.util.Locale;

/** What of a conversation is sent, the best first; each is safe, and the first that can be had is taken. */
enum Rung {
    /** Prepared in full. */
    FULL,
    /** Time ran out: what the last accepted turn sent, with what came since. */
    ACCEPTED,
    /** Time ran out: the client's own request, which surely fits. */
    PASSTHROUGH,
    /** Time ran out: as many of the last turns as surely fit. Also the current turn alone, when it may just fit. */
    SUFFIX;

    /** As {@code x-recallgate-window} says it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
