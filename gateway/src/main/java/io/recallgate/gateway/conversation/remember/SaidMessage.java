package io.recallgate.gateway.conversation.remember;

import com.fasterxml.jackson.databind.JsonNode;
import io.recallgate.gateway.conversation.reply.ToolCall;
import io.recallgate.gateway.conversation.turn.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * What one message of a request says.
 *
 * @param role as it is written
 * @param author the name that the client gave, empty if it gave none
 * @param text that was said, empty if none was
 * @param calls of tools that it makes
 * @param results of tools that it brings
 */
record SaidMessage(String role, String author, String text, List<ToolCall> calls, List<ToolResult> results) {

    /** Copies. */
    SaidMessage {
        calls = List.copyOf(calls);
        results = List.copyOf(results);
    }

    /**
     * What a tool gave back.
     *
     * @param call id of the call
     * @param text of the result; what is not text is left out
     */
    record ToolResult(String call, String text) {}

    static SaidMessage of(Protocol protocol, JsonNode message) {
        return protocol == Protocol.OPENAI ? openAi(message) : anthropic(message);
    }

    private static SaidMessage openAi(JsonNode message) {
        String role = message.path("role").asText("");
        String text = text(message.path("content"));
        if (role.equals("tool") || role.equals("function")) {
            String call = role.equals("tool")
                    ? message.path("tool_call_id").asText("")
                    : functionCall(message.path("name").asText(""));
            return new SaidMessage(role, "", "", List.of(), List.of(new ToolResult(call, text)));
        }
        List<ToolCall> calls = new ArrayList<>();
        JsonNode old = message.path("function_call");
        if (old.isObject()) {
            String name = old.path("name").asText("");
            calls.add(
                    new ToolCall(functionCall(name), name, old.path("arguments").asText("")));
        }
        for (JsonNode call : message.path("tool_calls")) {
            JsonNode function = call.path("function");
            calls.add(new ToolCall(
                    call.path("id").asText(""),
                    function.path("name").asText(""),
                    function.path("arguments").asText("")));
        }
        return new SaidMessage(role, message.path("name").asText(""), text, calls, List.of());
    }

    /** The old form of calls has no ids: a result belongs to the last call of its function. */
    private static String functionCall(String name) {
        return "function " + name;
    }

    private static SaidMessage anthropic(JsonNode message) {
        JsonNode content = message.path("content");
        List<ToolCall> calls = new ArrayList<>();
        List<ToolResult> results = new ArrayList<>();
        if (content.isArray()) {
            for (JsonNode block : content) {
                switch (block.path("type").asText("")) {
                    case "tool_use" ->
                        calls.add(new ToolCall(
                                block.path("id").asText(""),
                                block.path("name").asText(""),
                                block.path("input").toString()));
                    case "tool_result" ->
                        results.add(new ToolResult(block.path("tool_use_id").asText(""), text(block.path("content"))));
                    default -> {}
                }
            }
        }
        return new SaidMessage(message.path("role").asText(""), "", text(content), calls, results);
    }

    /** A text, or those of the blocks that are text, a line for each. */
    private static String text(JsonNode content) {
        if (content.isTextual()) {
            return content.textValue();
        }
        StringJoiner joined = new StringJoiner("\n");
        for (JsonNode block : content) {
            if (block.path("type").asText("").equals("text")) {
                joined.add(block.path("text").asText(""));
            }
        }
        return joined.toString();
    }
}
