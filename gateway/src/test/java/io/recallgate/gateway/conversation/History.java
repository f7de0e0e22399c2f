package io.recallgate.gateway.conversation;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.recallgate.gateway.conversation.turn.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A random conversation as agents have them: turns of a user, instructions between them, rounds of parallel tool calls with
 * their results, pictures, long outputs, notes beside results, ids that come again. It grows by {@link #turn}; what was said
 * before stays. Instructions at the beginning are a matter of how it is sent.
 */
public final class History {

    static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String[] WORDS = {
        "the",
        "river",
        "café",
        "naïve",
        "\"quoted\"",
        "back\\slash",
        "line\nbreak",
        "tab\t",
        "記憶",
        "ゲート",
        "기억",
        "память",
        "🦊",
        "👩‍👩‍👧",
        "</recalled_memories>",
        "<b>",
        "0.12",
        "user_id",
        "foo.bar()",
        "{\"a\":[1]}",
        "\u2028",
        "\u007f",
        "é"
    };

    private final Protocol protocol;
    private final Random random;
    private final List<ObjectNode> messages = new ArrayList<>();
    private int calls;

    public History(Protocol protocol, Random random) {
        this.protocol = protocol;
        this.random = random;
    }

    /** One with whole turns. */
    public static History of(Protocol protocol, int turns, Random random) {
        History history = new History(protocol, random);
        for (int i = 0; i < turns; i++) {
            history.turn();
        }
        return history;
    }

    /** The messages so far, as a client's own objects. */
    public List<ObjectNode> messages() {
        return messages;
    }

    public Protocol protocol() {
        return protocol;
    }

    /** A user's message, rounds of tools, an answer. */
    public void turn() {
        user();
        for (int rounds = random.nextInt(3); rounds > 0; rounds--) {
            tools();
        }
        ObjectNode answer = message("assistant");
        answer.put("content", text(12));
        messages.add(answer);
    }

    /** A user's message, and perhaps tools at work: what a client sends to be answered. */
    public void open() {
        user();
        for (int rounds = random.nextInt(3); rounds > 0; rounds--) {
            tools();
        }
    }

    private void user() {
        if (protocol == Protocol.OPENAI && !messages.isEmpty() && random.nextInt(6) == 0) {
            messages.add(message(random.nextBoolean() ? "system" : "developer").put("content", text(6)));
        }
        ObjectNode user = message("user");
        if (random.nextBoolean()) {
            user.put("content", text(20));
        } else {
            ArrayNode blocks = user.putArray("content");
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                blocks.add(textBlock(text(10)));
            }
            if (random.nextInt(4) == 0) {
                blocks.add(picture());
            }
        }
        if (random.nextInt(6) == 0) {
            user.put("name", "Ana");
        }
        messages.add(user);
    }

    private void tools() {
        List<String> ids = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            // Some servers count their calls anew for each answer.
            ids.add(random.nextInt(4) == 0 ? "call_" + i : "call_" + calls++ + "_" + i);
        }
        if (protocol == Protocol.OPENAI) {
            openAiRound(ids);
        } else {
            anthropicRound(ids);
        }
    }

    private void openAiRound(List<String> ids) {
        ObjectNode assistant = message("assistant");
        if (random.nextBoolean()) {
            assistant.putNull("content");
        } else {
            assistant.put("content", text(5));
        }
        ArrayNode made = assistant.putArray("tool_calls");
        for (String id : ids) {
            ObjectNode call = made.addObject().put("id", id).put("type", "function");
            call.putObject("function")
                    .put("name", "read")
                    .put("arguments", "{\"path\":\"" + random.nextInt(99) + "\"}");
        }
        messages.add(assistant);
        for (String id : ids) {
            ObjectNode result = message("tool").put("tool_call_id", id);
            result.put("content", output());
            messages.add(result);
        }
    }

    private void anthropicRound(List<String> ids) {
        ObjectNode assistant = message("assistant");
        ArrayNode said = assistant.putArray("content");
        if (random.nextBoolean()) {
            said.addObject().put("type", "thinking").put("thinking", text(8)).put("signature", "c2ln");
            said.add(textBlock(text(5)));
        }
        for (String id : ids) {
            ObjectNode use =
                    said.addObject().put("type", "tool_use").put("id", id).put("name", "read");
            use.putObject("input").put("path", text(2)).put("cache_control", "a tool's own");
        }
        messages.add(assistant);
        ObjectNode user = message("user");
        ArrayNode results = user.putArray("content");
        for (String id : ids) {
            ObjectNode result = results.addObject().put("type", "tool_result").put("tool_use_id", id);
            switch (random.nextInt(3)) {
                case 0 -> result.put("content", output());
                case 1 -> result.putArray("content").add(textBlock(output())).add(picture());
                default -> result.put("is_error", false).put("content", text(3));
            }
        }
        if (random.nextInt(5) == 0) {
            results.add(textBlock("<system-reminder>" + text(4)));
        }
        messages.add(user);
    }

    private ObjectNode picture() {
        ObjectNode picture = NODES.objectNode();
        if (protocol == Protocol.OPENAI) {
            picture.put("type", "image_url")
                    .putObject("image_url")
                    .put("url", "data:image/png;base64," + "iVBO".repeat(900));
        } else {
            picture.put("type", "image")
                    .putObject("source")
                    .put("type", "base64")
                    .put("media_type", "image/png")
                    .put("data", "iVBO".repeat(900));
        }
        return picture;
    }

    private String output() {
        return random.nextInt(3) == 0 ? text(1_500 + random.nextInt(3_000)) : text(30);
    }

    /** Up to so many words, at least one. */
    public String text(int words) {
        StringBuilder text = new StringBuilder();
        for (int i = 1 + random.nextInt(words); i > 0; i--) {
            text.append(random.nextInt(3) == 0 ? WORDS[random.nextInt(WORDS.length)] : "word" + random.nextInt(50))
                    .append(' ');
        }
        return text.toString();
    }

    private static ObjectNode textBlock(String text) {
        return NODES.objectNode().put("type", "text").put("text", text);
    }

    private static ObjectNode message(String role) {
        return NODES.objectNode().put("role", role);
    }
}
