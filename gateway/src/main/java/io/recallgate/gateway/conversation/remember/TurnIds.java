package io.recallgate.gateway.conversation.remember;

import io.recallgate.digest.Sha256;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * External ids of what is remembered of a session's turns: {@code turn:SESSION:CHAIN}, where the session is a digest, since two
 * sessions may say the same and are remembered each for itself, and the chain is that of the message. An answer is named by
 * the chain before it, so that another answer to the same takes its place. Where two conversations cannot be told apart, since
 * both began with the same words and neither has a name, it is named by what it says, too. At most 110 characters.
 */
public final class TurnIds {

    private static final int DIGITS = 16;
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final String USER = "turn:";
    private static final String REPLY = "reply:";
    private static final String TOOL = "tool:";

    private final String session;

    /** @param session whose turns */
    public TurnIds(String session) {
        this.session = digits(session) + ":";
    }

    private static String digits(String text) {
        return Sha256.hex(text).substring(0, DIGITS);
    }

    /**
     * Where in a conversation a memory is from.
     *
     * @param chain that it is named by; for an answer the chain before it, empty when it was the first message
     * @param answer digest of the answer that it is, empty when any answer at that place is
     */
    public record Place(String chain, String answer) {

        /** Whether a text may be the one that was said there. */
        public boolean mayBe(String text) {
            return answer.isEmpty() || answer.equals(said(text));
        }
    }

    /** White space does not count: an answer's blocks are put together in more than one way. */
    private static String said(String text) {
        return digits(SPACE.matcher(text).replaceAll(""));
    }

    /** What a user said in the message with this chain. */
    String user(String chain) {
        return USER + session + chain;
    }

    /** What was answered to the messages with this chain, which is empty before the first. */
    String reply(String before) {
        return REPLY + session + before;
    }

    /** The same for one of several answers there. */
    String reply(String before, String text) {
        return reply(before) + ":" + said(text);
    }

    /** What a tool gave, in the message with this chain; {@code place} of several. */
    String tool(String chain, int place) {
        return TOOL + session + chain + ":" + place;
    }

    /** Where a memory of this session is from, empty for any other memory. */
    public Optional<Place> place(String externalId) {
        for (String kind : new String[] {USER, REPLY, TOOL}) {
            if (externalId.startsWith(kind + session)) {
                String rest = externalId.substring(kind.length() + session.length());
                int colon = rest.indexOf(':');
                return Optional.of(
                        colon < 0
                                ? new Place(rest, "")
                                : new Place(
                                        rest.substring(0, colon), kind.equals(REPLY) ? rest.substring(colon + 1) : ""));
            }
        }
        return Optional.empty();
    }
}
