package io.recallgate.gateway.conversation.remember;

import io.recallgate.digest.Sha256;
import java.util.Optional;

/**
 * External ids of what is remembered of a session's turns: {@code turn:SESSION:CHAIN}, where the session is a digest, since two
 * sessions may say the same and are remembered each for itself, and the chain is that of the message. An answer is named by
 * the chain before it, which is all that is known when it is relayed. At most 100 characters.
 */
public final class TurnIds {

    private static final int SESSION_DIGITS = 16;
    private static final String USER = "turn:";
    private static final String REPLY = "reply:";
    private static final String TOOL = "tool:";

    private final String session;

    /** @param session whose turns */
    public TurnIds(String session) {
        this.session = Sha256.hex(session).substring(0, SESSION_DIGITS) + ":";
    }

    /** What a user said in the message with this chain. */
    String user(String chain) {
        return USER + session + chain;
    }

    /** What was answered to the messages with this chain, which is empty before the first. */
    String reply(String before) {
        return REPLY + session + before;
    }

    /** What a tool gave, in the message with this chain; {@code place} of several. */
    String tool(String chain, int place) {
        return TOOL + session + chain + ":" + place;
    }

    /** The chain that a memory of this session is named by, empty for any other memory. */
    public Optional<String> chain(String externalId) {
        for (String kind : new String[] {USER, REPLY, TOOL}) {
            if (externalId.startsWith(kind + session)) {
                String rest = externalId.substring(kind.length() + session.length());
                int place = rest.indexOf(':');
                return Optional.of(place < 0 ? rest : rest.substring(0, place));
            }
        }
        return Optional.empty();
    }
}
