package io.recallgate.gateway.conversation.reply;

import com.fasterxml.jackson.databind.JsonNode;

/** Reads answers of {@code /v1/messages}. What the model thinks is not what it says, and not remembered. */
final class AnthropicReplies {

    private AnthropicReplies() {}

    /** An event of a stream. Events that are not known mean nothing. */
    static void event(JsonNode event, ReplyDraft draft) {
        int index = event.path("index").asInt(0);
        switch (event.path("type").asText("")) {
            case "content_block_start" -> block(index, event.path("content_block"), draft);
            case "content_block_delta" -> delta(index, event.path("delta"), draft);
            case "message_stop" -> draft.end();
            case "error" -> draft.fail();
            default -> {}
        }
    }

    /** A whole answer. */
    static void whole(JsonNode answer, ReplyDraft draft) {
        int index = 0;
        for (JsonNode block : answer.path("content")) {
            block(index, block, draft);
            index++;
        }
        if ("message".equals(answer.path("type").asText(""))) {
            draft.end();
        }
    }

    private static void block(int index, JsonNode block, ReplyDraft draft) {
        switch (block.path("type").asText("")) {
            case "text" -> draft.say(block.path("text").asText(""));
            case "tool_use" -> {
                // A stream begins a call with an empty input and sends the real one in pieces.
                JsonNode input = block.path("input");
                draft.call(
                        index,
                        block.path("id").asText(""),
                        block.path("name").asText(""),
                        input.isEmpty() ? "" : input.toString());
            }
            default -> {}
        }
    }

    private static void delta(int index, JsonNode delta, ReplyDraft draft) {
        switch (delta.path("type").asText("")) {
            case "text_delta" -> draft.say(delta.path("text").asText(""));
            case "input_json_delta" ->
                draft.call(index, "", "", delta.path("partial_json").asText(""));
            default -> {}
        }
    }
}
