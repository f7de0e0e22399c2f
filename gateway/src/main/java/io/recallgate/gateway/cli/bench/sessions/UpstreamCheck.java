package io.recallgate.gateway.cli.bench.sessions;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import io.recallgate.gateway.cli.bench.sessions.AgentSession.Ask;
import io.recallgate.gateway.cli.bench.sessions.AgentSession.Kind;
import io.recallgate.gateway.cli.bench.sessions.AgentSession.Message;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a provider was sent for one session with what its client sent, byte by byte: what stands before and after the
 * messages; the messages that are kept, from one on to the last; in them nothing but a memory block at the end of what a user
 * says, and the middle of a long output left out, both as in the turn before. Used by one thread.
 */
final class UpstreamCheck {

    private static final String FRAME = "<recalled_memories>";
    private static final String FRAME_END = "</recalled_memories>";
    private static final String LEFT_OUT = " characters left out by recallgate …]\\n";
    private static final String LEFT_OUT_BEGIN = "\\n[… ";

    /** A window that moves with less than this share of the largest that was sent moves too early. */
    private static final double EARLIEST_MOVE = 0.85;

    private static final Encoding TOKENS = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

    private final AgentSession session;
    private final Violations violations;
    /** By message: the block that it was sent with. */
    private final Map<Integer, String> blocks = new HashMap<>();
    /** By message: as it was sent, if that was shortened. */
    private final Map<Integer, byte[]> shortened = new HashMap<>();
    /** By message. */
    private final Map<Integer, Integer> tokens = new HashMap<>();

    private static final Sent NOTHING = new Sent(-1, 0, 0, 0);

    private Sent last = NOTHING;
    private int moves;
    private int lastTurn = -1;
    /** The message whose block may be another one once, -1 for none. */
    private int unstored = -1;

    private int lost;

    /**
     * What was sent.
     *
     * @param firstKept of the messages
     * @param shortened how many messages were
     * @param blocks how many had a block
     * @param tokens of its messages, about
     */
    record Sent(int firstKept, int shortened, int blocks, int tokens) {}

    UpstreamCheck(AgentSession session, Violations violations) {
        this.session = session;
        this.violations = violations;
    }

    /** How often the window moved. */
    int moves() {
        return moves;
    }

    /** How many blocks were gone after a kill. */
    int lost() {
        return lost;
    }

    /**
     * The gateway was killed, perhaps between the last answer and the commit that follows it: the block of that turn may be
     * another one from now on, or none. All others are what they were.
     */
    void killed() {
        unstored = lastTurn;
    }

    /**
     * Looks at one request.
     *
     * @param ask as the client sent it
     * @param body as the provider got it
     * @param window the answer's label
     * @param memories as the answer's label says
     * @param degraded whether the answer says that something was left out
     * @return what was sent, as far as it was understood
     */
    Sent check(Ask ask, byte[] body, String window, String memories, boolean degraded) {
        String where = session.name() + " step " + ask.step();
        if (body.length == 0) {
            violations.add(where, "the provider was not sent the request");
            return NOTHING;
        }
        Reading reading = new Reading(where, ask, body, window.equals("full") && !degraded);
        boolean right = reading.read();
        if (right && !memories.equals(Integer.toString(reading.currentMemories))) {
            violations.add(
                    where,
                    "x-recallgate-memories says " + memories + ", and " + reading.currentMemories + " were sent");
        }
        return reading.sent;
    }

    private final class Reading {

        private final String where;
        private final Ask ask;
        private final byte[] body;
        private final boolean whole;
        private final List<Message> messages;
        private final int current;
        private int at;
        private int shortenedCount;
        private int blockCount;
        private int sum;
        private int currentMemories;
        private boolean changed;
        private Sent sent = NOTHING;

        Reading(String where, Ask ask, byte[] body, boolean whole) {
            this.where = where;
            this.ask = ask;
            this.body = body;
            this.whole = whole;
            this.messages = session.messages();
            this.current = currentTurn();
        }

        private int currentTurn() {
            int turn = ask.messages() - 1;
            while (messages.get(turn).kind() != Kind.QUESTION) {
                turn--;
            }
            return turn;
        }

        boolean read() {
            byte[] opening = session.protocol().opening().getBytes(StandardCharsets.UTF_8);
            if (!startsWith(opening)) {
                return wrong("what stands before the messages is not what the client sent");
            }
            at = opening.length;
            int first = firstKept();
            if (first < 0 || first > current) {
                return wrong("its first message is none of the client's up to the current turn");
            }
            if (messages.get(first).kind() != Kind.QUESTION) {
                return wrong("it begins with message " + first + ", which is no user's");
            }
            for (int i = first; i < ask.messages(); i++) {
                if (i > first && body[at++] != ',') {
                    return wrong("message " + i + " does not follow the one before it");
                }
                int end = JsonEnd.of(body, at);
                if (end < 0 || !message(i, Arrays.copyOfRange(body, at, end))) {
                    return end < 0 && wrong("message " + i + " is not there");
                }
                at = end;
            }
            byte[] closing = session.protocol().closing().getBytes(StandardCharsets.UTF_8);
            if (!startsWith(closing) || at + closing.length != body.length) {
                return wrong("what stands behind the messages is not what the client sent");
            }
            done(first);
            return true;
        }

        private boolean wrong(String what) {
            violations.add(where, what);
            return false;
        }

        private boolean startsWith(byte[] expected) {
            return at + expected.length <= body.length
                    && Arrays.equals(body, at, at + expected.length, expected, 0, expected.length);
        }

        /** What a user says is unlike anything that was said before, and its beginning is never changed. */
        private int firstKept() {
            for (int i = Math.max(0, last.firstKept()); i <= current; i++) {
                if (begins(i)) {
                    return i;
                }
            }
            for (int i = 0; i < last.firstKept(); i++) {
                if (begins(i)) {
                    return i;
                }
            }
            return -1;
        }

        private boolean begins(int index) {
            Message message = messages.get(index);
            if (message.kind() != Kind.QUESTION) {
                return startsWith(message.json());
            }
            int end = message.text().indexOf(']') + 1;
            String with = session.protocol().beforeBlock(message.text());
            byte[] asBlock = with.substring(0, with.indexOf("[q ") + end).getBytes(StandardCharsets.UTF_8);
            byte[] asText = Arrays.copyOf(
                    message.json(), new String(message.json(), StandardCharsets.UTF_8).indexOf("[q ") + end);
            return startsWith(asBlock) || startsWith(asText);
        }

        private boolean message(int index, byte[] sent) {
            Message message = messages.get(index);
            boolean same = Arrays.equals(sent, message.json());
            switch (message.kind()) {
                case QUESTION -> {
                    String block = same ? "" : block(message, sent);
                    if (block == null) {
                        return wrong("what a user says in message " + index + " is changed");
                    }
                    takeBlock(index, block);
                }
                case RESULTS -> {
                    if (!same && !takeShortened(index, message, sent)) {
                        return wrong(
                                "the outputs in message " + index + " are neither whole nor shortened as they may be");
                    }
                    changed |= same && shortened.containsKey(index);
                }
                case ANSWER -> {
                    if (!same) {
                        return wrong("the answer in message " + index + " is changed");
                    }
                }
            }
            sum += same ? tokens.computeIfAbsent(index, which -> tokens(message.json())) : count(index, message, sent);
            return true;
        }

        /** A message's block, null if something else was changed. */
        private @Nullable String block(Message message, byte[] sent) {
            String text = new String(sent, StandardCharsets.UTF_8);
            String before = session.protocol().beforeBlock(message.text());
            String after = session.protocol().afterBlock();
            if (!text.startsWith(before) || !text.endsWith(after)) {
                return null;
            }
            String block = text.substring(before.length(), text.length() - after.length());
            return block.startsWith(FRAME)
                            && block.endsWith(FRAME_END)
                            && block.indexOf(FRAME_END) == block.length() - FRAME_END.length()
                    ? block
                    : null;
        }

        private void takeBlock(int index, String block) {
            blockCount += block.isEmpty() ? 0 : 1;
            if (index == current) {
                currentMemories = block.split("\\\\n\\[id ", -1).length - 1;
            }
            String before = blocks.get(index);
            if (before == null) {
                if (!block.isEmpty() && index != current) {
                    wrong("message " + index + " is given memories after it was sent without");
                }
                if (index == current && (!block.isEmpty() || whole)) {
                    blocks.put(index, block);
                }
            } else if (!block.equals(before) && whole && index == unstored) {
                blocks.put(index, block);
                lost++;
            } else if (!block.equals(before) && (whole || !block.isEmpty())) {
                wrong("message " + index + " is not given the same memories again");
            }
        }

        private boolean takeShortened(int index, Message message, byte[] sent) {
            shortenedCount++;
            byte[] before = shortened.get(index);
            if (before != null) {
                return Arrays.equals(before, sent);
            }
            changed = true;
            if (!isShortened(
                    new String(message.json(), StandardCharsets.UTF_8), new String(sent, StandardCharsets.UTF_8))) {
                return false;
            }
            shortened.put(index, sent);
            return true;
        }

        private int count(int index, Message message, byte[] sent) {
            return message.kind() == Kind.QUESTION
                    ? tokens.computeIfAbsent(index, which -> tokens(message.json()))
                            + tokens(sent)
                            - tokens(message.json())
                    : tokens(sent);
        }

        private void done(int first) {
            sent = new Sent(first, shortenedCount, blockCount, sum);
            if (last.firstKept() >= 0 && whole && (first != last.firstKept() || changed)) {
                moves++;
                if (last.tokens() < EARLIEST_MOVE * largest) {
                    wrong("the window moved at " + last.tokens() + " tokens, where " + largest + " fitted before");
                }
            }
            largest = whole ? Math.max(largest, sum) : largest;
            lastTurn = current;
            unstored = whole ? -1 : unstored;
            last = whole ? sent : last;
        }
    }

    private int largest;

    /** Whether it is the original with marked middles of texts left out, and as many characters as each mark says. */
    static boolean isShortened(String original, String sent) {
        int from = 0;
        int at = 0;
        while (true) {
            int mark = sent.indexOf(LEFT_OUT_BEGIN, at);
            String piece = mark < 0 ? sent.substring(at) : sent.substring(at, mark);
            if (mark < 0) {
                return at > 0 && original.endsWith(piece) && original.length() - piece.length() >= from;
            }
            if (!original.startsWith(piece, from)) {
                return false;
            }
            int end = sent.indexOf(LEFT_OUT, mark);
            if (end < 0) {
                return false;
            }
            int characters = Integer.parseInt(sent.substring(mark + LEFT_OUT_BEGIN.length(), end));
            from += piece.length() + skipped(original, from + piece.length(), characters);
            at = end + LEFT_OUT.length();
        }
    }

    /** How many UTF-16 units of JSON so many characters take. */
    private static int skipped(String json, int from, int characters) {
        int at = from;
        for (int i = 0; i < characters && at < json.length(); i++) {
            if (json.charAt(at) == '\\') {
                at += json.charAt(at + 1) == 'u' ? 6 : 2;
            } else {
                at += Character.isHighSurrogate(json.charAt(at)) ? 2 : 1;
            }
        }
        return at - from;
    }

    private static int tokens(byte[] json) {
        return TOKENS.countTokensOrdinary(new String(json, StandardCharsets.UTF_8));
    }
}
