package io.recallgate.gateway.conversation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Writes a history as one of the many JSON texts that mean it: white space, escapes and marks for the cache as chance has it. */
public final class Rendering {

    private static final Set<String> MARKED = Set.of("text", "image", "tool_use", "tool_result", "image_url");

    private final Random random;
    private final boolean odd;
    private final boolean marks;

    private Rendering(Random random, boolean odd, boolean marks) {
        this.random = random;
        this.odd = odd;
        this.marks = marks;
    }

    /** As a JSON library writes it: no white space, no needless escapes, no marks. */
    public static Rendering plain() {
        return new Rendering(new Random(0), false, false);
    }

    /** White space and escapes anywhere, no marks. */
    public static Rendering odd(Random random) {
        return new Rendering(random, true, false);
    }

    /** White space, escapes and marks anywhere. */
    public static Rendering marked(Random random) {
        return new Rendering(random, true, true);
    }

    /** The request with its messages read. */
    public Transcript transcript(History history) {
        return Transcript.parse(history.protocol(), body(history.protocol(), history.messages()));
    }

    /** A whole request. */
    public RequestBody body(Protocol protocol, List<ObjectNode> messages) {
        StringBuilder out = new StringBuilder("{\"model\":\"gpt-4o\",");
        if (protocol == Protocol.ANTHROPIC) {
            out.append("\"system\":\"Be brief.\",\"max_tokens\":100,");
        }
        out.append("\"messages\":").append(gap()).append("[").append(gap());
        if (protocol == Protocol.OPENAI) {
            out.append("{\"role\":\"system\",\"content\":\"Be brief.\"}")
                    .append(messages.isEmpty() ? "" : ",")
                    .append(gap());
        }
        for (int i = 0; i < messages.size(); i++) {
            out.append(i == 0 ? "" : gap() + "," + gap());
            write(messages.get(i), out);
        }
        out.append(gap())
                .append("],\"x_unknown\":{\"messages\":[]},\"tools\":[]}")
                .append(gap());
        return new RequestBody(out.toString().getBytes(StandardCharsets.UTF_8));
    }

    private void write(JsonNode node, StringBuilder out) {
        if (node.isObject()) {
            object((ObjectNode) node, out);
        } else if (node.isArray()) {
            out.append('[').append(gap());
            for (int i = 0; i < node.size(); i++) {
                out.append(i == 0 ? "" : gap() + "," + gap());
                write(node.get(i), out);
            }
            out.append(gap()).append(']');
        } else if (node.isTextual()) {
            string(node.textValue(), out);
        } else {
            out.append(node);
        }
    }

    private void object(ObjectNode node, StringBuilder out) {
        out.append('{').append(gap());
        String comma = "";
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            out.append(comma);
            string(field.getKey(), out);
            out.append(gap()).append(':').append(gap());
            if (marks
                    && field.getKey().equals("content")
                    && node.has("role")
                    && field.getValue().isTextual()
                    && random.nextBoolean()) {
                // What clients do to mark a text.
                out.append("[{\"type\":\"text\",\"text\":");
                string(field.getValue().textValue(), out);
                out.append(",\"cache_control\":{\"type\":\"ephemeral\"}}]");
            } else {
                write(field.getValue(), out);
            }
            comma = gap() + "," + gap();
        }
        if (marks && MARKED.contains(node.path("type").asText()) && random.nextInt(3) == 0) {
            out.append(",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"" + random.nextInt(9) + "h\"}");
        }
        out.append(gap()).append('}');
    }

    private void string(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                default -> {
                    boolean pair = Character.isHighSurrogate(c);
                    if (odd && random.nextInt(40) == 0) {
                        out.append(String.format("\\u%04x", (int) c));
                        if (pair) {
                            out.append(String.format("\\u%04X", (int) text.charAt(++i)));
                        }
                    } else {
                        out.append(c);
                        if (pair) {
                            out.append(text.charAt(++i));
                        }
                    }
                }
            }
        }
        out.append('"');
    }

    private String gap() {
        return odd && random.nextInt(3) == 0 ? new String[] {" ", "\n", "\r\n\t", "  "}[random.nextInt(4)] : "";
    }
}
