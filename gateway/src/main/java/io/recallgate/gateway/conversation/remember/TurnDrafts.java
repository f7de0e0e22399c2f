package io.recallgate.gateway.conversation.remember;

import io.recallgate.gateway.conversation.reply.AssistantReply;
import io.recallgate.gateway.conversation.reply.ToolCall;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryService;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes drafts of a turn's messages and of the answer to them. Roles other than user, assistant and tool are instructions,
 * and instructions are not memories.
 */
public final class TurnDrafts {

    /** A text that is longer keeps its beginning and its end; a memory may have 1 MiB in UTF-8. */
    static final int MAX_TEXT_CHARS = 64 * 1024;

    /** What a trace keeps of a call's arguments: enough for a command line or a path. */
    static final int MAX_ARGUMENTS_CHARS = 1_000;

    /** What a trace keeps of a result: the middle of a long one is seldom what is asked for later. */
    static final int MAX_RESULT_CHARS = 3_000;

    private static final int MAX_AUTHOR_CHARS = 200;

    private final Origin origin;
    private final TurnIds ids;
    private final List<MemoryDraft> drafts = new ArrayList<>();
    private final Map<String, ToolCall> open = new HashMap<>();

    /**
     * Where a turn comes from.
     *
     * @param protocol of the request
     * @param session that it belongs to
     * @param named whether the client named the session; another conversation may begin like one that has no name
     * @param model as the client named it, empty if it did not
     * @param at when the answer was there; the messages are a microsecond before one another, which keeps their order
     */
    public record Origin(Protocol protocol, String session, boolean named, String model, Instant at) {}

    private TurnDrafts(Origin origin) {
        this.origin = origin;
        this.ids = new TurnIds(origin.session());
    }

    /**
     * The drafts, in the order of the conversation; of more than a write may have, the newest.
     *
     * @param messages that the turn brought, and before them such as make calls whose results are among these
     * @param before hex digest of the messages before the answer, empty when there is none
     * @param reply to them
     */
    public static List<MemoryDraft> of(
            Origin origin, List<PlacedMessage> messages, String before, AssistantReply reply) {
        TurnDrafts made = new TurnDrafts(origin);
        messages.forEach(made::add);
        made.answer("", reply.text(), before);
        return made.dated();
    }

    private void answer(String author, String text, String before) {
        say("assistant", author, text, origin.named() ? ids.reply(before) : ids.reply(before, text));
    }

    private void add(PlacedMessage placed) {
        SaidMessage said = SaidMessage.of(origin.protocol(), placed.message());
        if (placed.onlyCalls()) {
            said.calls().forEach(call -> open.put(call.id(), call));
            return;
        }
        int place = 0;
        for (SaidMessage.ToolResult result : said.results()) {
            trace(open.remove(result.call()), result, ids.tool(placed.chain(), place));
            place++;
        }
        switch (said.role()) {
            case "user" -> say("user", said.author(), said.text(), ids.user(placed.chain()));
            case "assistant" -> {
                // By what came before it: so the answer that was relayed and its copy in a later request are one
                // memory.
                answer(said.author(), said.text(), placed.before());
                said.calls().forEach(call -> open.put(call.id(), call));
            }
            default -> {}
        }
    }

    private void trace(@Nullable ToolCall call, SaidMessage.ToolResult result, String externalId) {
        String name = call == null ? "tool" : call.name();
        String arguments = call == null ? "" : shortened(call.arguments(), MAX_ARGUMENTS_CHARS);
        draft("tool", "", name + "(" + arguments + ")\n→ " + shortened(result.text(), MAX_RESULT_CHARS), externalId);
    }

    private void say(String role, String author, String text, String externalId) {
        if (!text.isBlank()) {
            draft(role, author, shortened(text, MAX_TEXT_CHARS), externalId);
        }
    }

    private void draft(String role, String author, String content, String externalId) {
        String name = clean(author).strip();
        drafts.add(new MemoryDraft(
                clean(content),
                MemoryKind.TURN,
                role,
                name.isEmpty() || name.length() > MAX_AUTHOR_CHARS ? null : name,
                origin.session(),
                null,
                false,
                externalId,
                origin.model().isEmpty() ? new JsonObject() : new JsonObject().put("model", clean(origin.model()))));
    }

    /** The newest of them, each with its time. */
    private List<MemoryDraft> dated() {
        Instant at = origin.at().truncatedTo(ChronoUnit.MICROS);
        int from = Math.max(0, drafts.size() - MemoryService.MAX_DRAFTS);
        List<MemoryDraft> dated = new ArrayList<>(drafts.size() - from);
        for (int i = from; i < drafts.size(); i++) {
            MemoryDraft draft = drafts.get(i);
            dated.add(new MemoryDraft(
                    draft.content(),
                    draft.kind(),
                    draft.role(),
                    draft.author(),
                    draft.session(),
                    at.minus(drafts.size() - 1L - i, ChronoUnit.MICROS),
                    draft.pinned(),
                    draft.externalId(),
                    draft.metadata()));
        }
        return dated;
    }

    private static String shortened(String text, int maxChars) {
        if (text.length() <= maxChars) {
            return text;
        }
        int head = maxChars * 2 / 3;
        int tail = text.length() - (maxChars - head);
        head -= Character.isHighSurrogate(text.charAt(head - 1)) ? 1 : 0;
        tail += Character.isLowSurrogate(text.charAt(tail)) ? 1 : 0;
        return text.substring(0, head) + " […] " + text.substring(tail);
    }

    /** Without what no database stores unharmed: a model may write anything. */
    private static String clean(String text) {
        StringBuilder cleaned = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair) {
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                if (cleaned == null) {
                    cleaned = new StringBuilder(text);
                }
                cleaned.setCharAt(i, '\uFFFD');
            }
        }
        return cleaned == null ? text : cleaned.toString();
    }
}
