package io.recallgate.gateway.conversation.demo;

import io.recallgate.digest.Sha256;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the demonstration looks at in a request, in either protocol.
 *
 * @param model as it was named
 * @param streams whether a stream is wanted
 * @param includesUsage whether a stream is to end with what it cost, as OpenAI's clients ask for
 * @param id the same for the same request
 * @param promptTokens about
 * @param reply what is said
 */
record DemoRequest(
        String model, boolean streams, boolean includesUsage, String id, int promptTokens, List<String> reply) {

    private static final Pattern MEMORIES =
            Pattern.compile("<recalled_memories[^>]*>(.*?)</recalled_memories>", Pattern.DOTALL);
    private static final Pattern MEMORY = Pattern.compile("^.*\\[id [^\\]]+].*$", Pattern.MULTILINE);

    /** A rule of thumb; the demonstration has no tokenizer. */
    private static final int CHARACTERS_PER_TOKEN = 4;

    private static final int ID_BYTES = 12;

    /** Copies the reply. */
    DemoRequest {
        reply = List.copyOf(reply);
    }

    /** @throws FailureException {@code invalid-field} for a request that has no message */
    static DemoRequest of(JsonObject body) {
        if (!(body.getValue("messages") instanceof JsonArray messages) || messages.isEmpty()) {
            throw FailureException.ofField(
                    FailureCode.INVALID_FIELD, "messages", "messages must be a list with a message");
        }
        String model = body.getValue("model") instanceof String named ? named : "demo";
        boolean usage = body.getValue("stream_options") instanceof JsonObject options
                && Boolean.TRUE.equals(options.getValue("include_usage"));
        String encoded = body.encode();
        return new DemoRequest(
                model,
                Boolean.TRUE.equals(body.getValue("stream")),
                usage,
                digest(encoded),
                tokens(encoded),
                reply(newestUserText(messages)));
    }

    /** About how many the reply has. */
    int replyTokens() {
        return tokens(text());
    }

    /** The reply in one. */
    String text() {
        return String.join("", reply);
    }

    private static int tokens(String text) {
        return 1 + text.length() / CHARACTERS_PER_TOKEN;
    }

    private static List<String> reply(String text) {
        List<String> memories = new ArrayList<>();
        Matcher block = MEMORIES.matcher(text);
        while (block.find()) {
            MEMORY.matcher(block.group(1))
                    .results()
                    .forEach(line -> memories.add(line.group().strip()));
        }
        List<String> reply = new ArrayList<>();
        reply.add("This is the demonstration: no provider was asked. ");
        reply.add(
                switch (memories.size()) {
                    case 0 -> "With your message it would have been given no memories.";
                    case 1 -> "With your message it would have been given one memory:";
                    default -> "With your message it would have been given " + memories.size() + " memories:";
                });
        memories.forEach(memory -> reply.add("\n" + memory));
        return reply;
    }

    private static String newestUserText(JsonArray messages) {
        for (int i = messages.size() - 1; i >= 0; i--) {
            if (messages.getValue(i) instanceof JsonObject message && "user".equals(message.getValue("role"))) {
                return text(message.getValue("content"));
            }
        }
        return "";
    }

    private static String text(Object content) {
        if (content instanceof String text) {
            return text;
        }
        StringBuilder text = new StringBuilder();
        if (content instanceof JsonArray parts) {
            for (Object part : parts) {
                if (part instanceof JsonObject block && block.getValue("text") instanceof String words) {
                    text.append(text.isEmpty() ? "" : "\n").append(words);
                }
            }
        }
        return text.toString();
    }

    private static String digest(String text) {
        return HexFormat.of().formatHex(Sha256.of(text), 0, ID_BYTES);
    }
}
