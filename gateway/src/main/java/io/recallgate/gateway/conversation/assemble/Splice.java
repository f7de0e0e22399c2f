package io.recallgate.gateway.conversation.assemble;

import io.netty.buffer.Unpooled;
import io.recallgate.gateway.conversation.fit.FitPlan;
import io.recallgate.gateway.conversation.fit.Shortening;
import io.recallgate.gateway.conversation.transcript.ContentForm;
import io.recallgate.gateway.conversation.transcript.Entry;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * The client's bytes with what the plan leaves out left out, and each block at the end of its message: behind everything that
 * the client wrote there, and so behind its last mark for the cache. Everything else stays where it is and as it is, and is
 * not copied.
 *
 * @param body the bytes, piece after piece
 * @param injected the messages that have their block
 * @param refused the messages whose content has no place for one: it is null, empty or missing, or no user speaks in it
 */
public record Splice(List<Buffer> body, Set<Integer> injected, Set<Integer> refused) {

    private static final String TEXT_BLOCK = "{\"type\":\"text\",\"text\":";

    /** Copies the collections. */
    public Splice {
        body = List.copyOf(body);
        injected = Set.copyOf(injected);
        refused = Set.copyOf(refused);
    }

    /** Bytes of a body in whose place a text goes out. */
    private record Edit(int start, int end, String text) {}

    /**
     * Makes the bytes that are sent.
     *
     * @param blocks by message; those of messages that are left out are left out with them
     */
    public static Splice of(Transcript transcript, FitPlan plan, SortedMap<Integer, String> blocks) {
        List<Edit> edits = new ArrayList<>();
        leaveOut(transcript, plan.firstKept(), edits);
        for (Shortening shortening : plan.shortenings(transcript)) {
            edits.add(new Edit(shortening.cut().start(), shortening.cut().end(), shortening.marker()));
        }
        Set<Integer> injected = new TreeSet<>();
        Set<Integer> refused = new TreeSet<>();
        blocks.tailMap(plan.firstKept()).forEach((index, block) -> {
            boolean done = inject(transcript, transcript.entry(index), block, edits);
            (done ? injected : refused).add(index);
        });
        edits.sort(Comparator.comparingInt(Edit::start));
        return new Splice(pieces(transcript.body().bytes(), edits), injected, refused);
    }

    /** All before a message but for instructions, which stay where they are. */
    private static void leaveOut(Transcript transcript, int firstKept, List<Edit> edits) {
        int from = 0;
        for (int i = 0; i <= firstKept; i++) {
            if (i == firstKept || transcript.entry(i).isInstruction()) {
                if (from < i) {
                    edits.add(new Edit(start(transcript, from), start(transcript, i), ""));
                }
                from = i + 1;
            }
        }
    }

    private static int start(Transcript transcript, int index) {
        return transcript.entry(index).whole().start();
    }

    private static boolean inject(Transcript transcript, Entry entry, String block, List<Edit> edits) {
        if (!entry.userTurn()) {
            return false;
        }
        int end = entry.content().end();
        if (entry.form() == ContentForm.ARRAY) {
            // A user speaks in it, so there is an element before the bracket.
            int last = endOfLastElement(transcript.body().bytes(), end - 1);
            edits.add(new Edit(last, last, "," + TEXT_BLOCK + quoted(block) + "}"));
        } else if (transcript.protocol() == Protocol.ANTHROPIC) {
            // Two blocks, whether the client writes a text or an array of one: it writes the same message both ways.
            edits.add(new Edit(entry.content().start(), entry.content().start(), "[" + TEXT_BLOCK));
            edits.add(new Edit(end, end, "}," + TEXT_BLOCK + quoted(block) + "}]"));
        } else {
            String escaped = quoted("\n\n" + block);
            edits.add(new Edit(end - 1, end - 1, escaped.substring(1, escaped.length() - 1)));
        }
        return true;
    }

    private static int endOfLastElement(byte[] bytes, int bracket) {
        int at = bracket;
        while (bytes[at - 1] == ' ' || bytes[at - 1] == '\n' || bytes[at - 1] == '\r' || bytes[at - 1] == '\t') {
            at--;
        }
        return at;
    }

    /** A JSON string. Only what must be is escaped, always in the same way. */
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                default -> out.append(c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
            }
        }
        return out.append('"').toString();
    }

    private static List<Buffer> pieces(byte[] bytes, List<Edit> edits) {
        List<Buffer> pieces = new ArrayList<>();
        int done = 0;
        for (Edit edit : edits) {
            add(pieces, bytes, done, edit.start());
            byte[] text = edit.text().getBytes(StandardCharsets.UTF_8);
            add(pieces, text, 0, text.length);
            done = edit.end();
        }
        add(pieces, bytes, done, bytes.length);
        return pieces;
    }

    private static void add(List<Buffer> pieces, byte[] bytes, int start, int end) {
        if (end > start) {
            // Wrapped: the public ways to a buffer copy, and the body may be 32 MiB.
            pieces.add(BufferInternal.buffer(Unpooled.wrappedBuffer(bytes, start, end - start)));
        }
    }
}
