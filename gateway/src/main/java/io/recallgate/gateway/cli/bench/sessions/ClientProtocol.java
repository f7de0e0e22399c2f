package io.recallgate.gateway.cli.bench.sessions;

import io.vertx.core.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** How a client writes a conversation, and a provider its answer, in the two protocols. Pure. */
enum ClientProtocol {
    /** Chat completions, of a model whose tokenizer is known. */
    OPENAI("/v1/chat/completions", "gpt-4o") {
        @Override
        String opening() {
            return "{\"model\":\"" + model() + "\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
                    + UNKNOWN_FIELD
                    + ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"" + AgentReply.TOOL
                    + "\",\"description\":\"Runs a command.\",\"parameters\":" + SCHEMA
                    + "}}],\"messages\":[{\"role\":\"system\",\"content\":\"" + INSTRUCTIONS + "\"},";
        }

        @Override
        String assistant(AgentReply reply) {
            StringJoiner calls = new StringJoiner(",");
            reply.calls()
                    .forEach(call ->
                            calls.add("{\"id\":\"" + call.id() + "\",\"type\":\"function\",\"function\":{\"name\":\""
                                    + AgentReply.TOOL + "\",\"arguments\":" + Json.encode(call.arguments()) + "}}"));
            return "{\"role\":\"assistant\",\"content\":"
                    + (reply.text().isEmpty() ? "null" : Json.encode(reply.text()))
                    + (reply.calls().isEmpty() ? "" : ",\"tool_calls\":[" + calls + "]") + "}";
        }

        @Override
        List<String> results(AgentReply reply, List<String> outputs) {
            List<String> messages = new ArrayList<>();
            for (int i = 0; i < outputs.size(); i++) {
                messages.add("{\"role\":\"tool\",\"tool_call_id\":\""
                        + reply.calls().get(i).id() + "\",\"content\":" + Json.encode(outputs.get(i)) + "}");
            }
            return messages;
        }

        @Override
        List<String> events(AgentReply reply) {
            String head = "data: {\"id\":\"chatcmpl-" + reply.key()
                    + "\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"" + model()
                    + "\",\"choices\":[";
            List<String> events = new ArrayList<>();
            events.add(head
                    + "{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n");
            for (String word : words(reply.text())) {
                events.add(head + "{\"index\":0,\"delta\":{\"content\":" + Json.encode(word)
                        + "},\"finish_reason\":null}]}\n\n");
            }
            for (int i = 0; i < reply.calls().size(); i++) {
                AgentReply.Call call = reply.calls().get(i);
                events.add(head + "{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":" + i + ",\"id\":\"" + call.id()
                        + "\",\"type\":\"function\",\"function\":{\"name\":\"" + AgentReply.TOOL + "\",\"arguments\":"
                        + Json.encode(call.arguments()) + "}}]},\"finish_reason\":null}]}\n\n");
            }
            events.add(head + "{\"index\":0,\"delta\":{},\"finish_reason\":\""
                    + (reply.calls().isEmpty() ? "stop" : "tool_calls") + "\"}]}\n\n");
            events.add("data: [DONE]\n\n");
            return events;
        }

        @Override
        String beforeBlock(String text) {
            return USER + text.substring(0, text.length() - 1) + "\\n\\n";
        }

        @Override
        String afterBlock() {
            return "\"}";
        }
    },

    /** Messages, of a model whose tokens are estimated. */
    ANTHROPIC("/v1/messages", "claude-sonnet-4-5") {
        @Override
        String opening() {
            return "{\"model\":\"" + model() + "\",\"stream\":true,\"max_tokens\":8192," + UNKNOWN_FIELD
                    + ",\"system\":[{\"type\":\"text\",\"text\":\"" + INSTRUCTIONS
                    + "\",\"cache_control\":{\"type\":\"ephemeral\"}}],\"tools\":[{\"name\":\"" + AgentReply.TOOL
                    + "\",\"description\":\"Runs a command.\",\"input_schema\":" + SCHEMA + "}],\"messages\":[";
        }

        @Override
        String assistant(AgentReply reply) {
            StringJoiner blocks = new StringJoiner(",");
            if (!reply.text().isEmpty()) {
                blocks.add("{\"type\":\"text\",\"text\":" + Json.encode(reply.text()) + "}");
            }
            reply.calls()
                    .forEach(call -> blocks.add("{\"type\":\"tool_use\",\"id\":\"" + call.id() + "\",\"name\":\""
                            + AgentReply.TOOL + "\",\"input\":" + call.arguments() + "}"));
            return "{\"role\":\"assistant\",\"content\":[" + blocks + "]}";
        }

        @Override
        List<String> results(AgentReply reply, List<String> outputs) {
            StringJoiner blocks = new StringJoiner(",");
            for (int i = 0; i < outputs.size(); i++) {
                blocks.add("{\"type\":\"tool_result\",\"tool_use_id\":\""
                        + reply.calls().get(i).id() + "\",\"content\":" + Json.encode(outputs.get(i)) + "}");
            }
            return List.of("{\"role\":\"user\",\"content\":[" + blocks + "]}");
        }

        @Override
        List<String> events(AgentReply reply) {
            List<String> events = new ArrayList<>();
            events.add(
                    event(
                            "message_start",
                            "\"message\":{\"id\":\"msg_" + reply.key()
                                    + "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\""
                                    + model()
                                    + "\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}"));
            int index = 0;
            if (!reply.text().isEmpty()) {
                events.add(event(
                        "content_block_start", "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"));
                events.add(event("ping", ""));
                for (String word : words(reply.text())) {
                    events.add(event(
                            "content_block_delta",
                            "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":" + Json.encode(word) + "}"));
                }
                events.add(event("content_block_stop", "\"index\":0"));
                index++;
            }
            for (AgentReply.Call call : reply.calls()) {
                events.add(event(
                        "content_block_start",
                        "\"index\":" + index + ",\"content_block\":{\"type\":\"tool_use\",\"id\":\"" + call.id()
                                + "\",\"name\":\"" + AgentReply.TOOL + "\",\"input\":{}}"));
                events.add(event(
                        "content_block_delta",
                        "\"index\":" + index + ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":"
                                + Json.encode(call.arguments()) + "}"));
                events.add(event("content_block_stop", "\"index\":" + index));
                index++;
            }
            events.add(event(
                    "message_delta",
                    "\"delta\":{\"stop_reason\":\"" + (reply.calls().isEmpty() ? "end_turn" : "tool_use")
                            + "\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":9}"));
            events.add(event("message_stop", ""));
            return events;
        }

        private String event(String type, String rest) {
            return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + (rest.isEmpty() ? "" : "," + rest)
                    + "}\n\n";
        }

        @Override
        String beforeBlock(String text) {
            return USER + "[{\"type\":\"text\",\"text\":" + text + "},{\"type\":\"text\",\"text\":\"";
        }

        @Override
        String afterBlock() {
            return "\"}]}";
        }
    };

    private static final String USER = "{\"role\":\"user\",\"content\":";
    /** No protocol has it; it is to arrive all the same. */
    private static final String UNKNOWN_FIELD = "\"x_bench\":{\"kept\": [1,2.50,\"\\u00e9\"]}";

    private static final String INSTRUCTIONS =
            "You maintain a large code base. Use the tools; say what you changed and why, and never guess.";
    private static final String SCHEMA = "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\"},"
            + "\"place\":{\"type\":\"string\"}},\"required\":[\"command\"]}";

    private final String path;
    private final String model;

    ClientProtocol(String path, String model) {
        this.path = path;
        this.model = model;
    }

    String path() {
        return path;
    }

    String model() {
        return model;
    }

    /** A body up to its first message. */
    abstract String opening();

    /** What follows the last one. */
    final String closing() {
        return "]}";
    }

    /** A user's message. */
    final String user(String text) {
        return USER + Json.encode(text) + "}";
    }

    /** An answer as the client gives it back. */
    abstract String assistant(AgentReply reply);

    /** What the tools gave, in the order of the calls. */
    abstract List<String> results(AgentReply reply, List<String> outputs);

    /** An answer as it is streamed. */
    abstract List<String> events(AgentReply reply);

    /**
     * A user's message with a memory block, up to the block.
     *
     * @param text of the message as JSON
     */
    abstract String beforeBlock(String text);

    /** The rest of it. */
    abstract String afterBlock();

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("(?<= )", -1));
    }
}
