package io.recallgate.gateway.conversation.reply;

import com.fasterxml.jackson.databind.JsonNode;

/** Reads answers of {@code /v1/chat/completions}. Of several choices the first is the one that is remembered. */
final class OpenAiReplies {

    private OpenAiReplies() {}

    /** A chunk of a stream. */
    static void chunk(JsonNode chunk, ReplyDraft draft) {
        if (chunk.hasNonNull("error")) {
            draft.fail();
            return;
        }
        for (JsonNode choice : chunk.path("choices")) {
            if (choice.path("index").asInt(0) == 0) {
                message(choice.path("delta"), draft);
                if (choice.hasNonNull("finish_reason")) {
                    draft.end();
                }
            }
        }
    }

    /** A whole answer. */
    static void whole(JsonNode answer, ReplyDraft draft) {
        JsonNode first = answer.path("choices").path(0);
        message(first.path("message"), draft);
        if (first.hasNonNull("finish_reason")) {
            draft.end();
        }
    }

    private static void message(JsonNode message, ReplyDraft draft) {
        JsonNode content = message.path("content");
        if (content.isTextual()) {
            draft.say(content.textValue());
        }
        // What the model says instead of an answer is what its user reads.
        draft.say(message.path("refusal").asText(""));
        int place = 0;
        for (JsonNode call : message.path("tool_calls")) {
            JsonNode function = call.path("function");
            draft.call(
                    call.path("index").asInt(place),
                    call.path("id").asText(""),
                    function.path("name").asText(""),
                    function.path("arguments").asText(""));
            place++;
        }
    }
}
