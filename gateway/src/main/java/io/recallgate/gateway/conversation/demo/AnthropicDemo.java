package io.recallgate.gateway.conversation.demo;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** The demonstration's answer as Anthropic's clients read it. */
final class AnthropicDemo {

    private AnthropicDemo() {}

    static DemoAnswer answer(DemoRequest request) {
        if (!request.streams()) {
            return DemoAnswer.whole(message(request)
                    .put("content", new JsonArray().add(text(request.text())))
                    .put("stop_reason", "end_turn")
                    .put("usage", usage(request, request.replyTokens()))
                    .toBuffer());
        }
        List<Buffer> events = new ArrayList<>();
        events.add(event(of("message_start")
                .put(
                        "message",
                        message(request)
                                .put("content", new JsonArray())
                                .putNull("stop_reason")
                                .put("usage", usage(request, 1)))));
        events.add(event(of("content_block_start").put("index", 0).put("content_block", text(""))));
        events.add(event(of("ping")));
        request.reply()
                .forEach(words -> events.add(event(of("content_block_delta")
                        .put("index", 0)
                        .put("delta", of("text_delta").put("text", words)))));
        events.add(event(of("content_block_stop").put("index", 0)));
        events.add(event(of("message_delta")
                .put("delta", new JsonObject().put("stop_reason", "end_turn").putNull("stop_sequence"))
                .put("usage", new JsonObject().put("output_tokens", request.replyTokens()))));
        events.add(event(of("message_stop")));
        return DemoAnswer.stream(events);
    }

    private static JsonObject message(DemoRequest request) {
        return of("message")
                .put("id", "msg_demo_" + request.id())
                .put("role", "assistant")
                .put("model", request.model())
                .putNull("stop_sequence");
    }

    private static JsonObject text(String text) {
        return of("text").put("text", text);
    }

    private static JsonObject of(String type) {
        return new JsonObject().put("type", type);
    }

    private static JsonObject usage(DemoRequest request, int outputTokens) {
        return new JsonObject().put("input_tokens", request.promptTokens()).put("output_tokens", outputTokens);
    }

    private static Buffer event(JsonObject data) {
        return Buffer.buffer("event: " + data.getString("type") + "\ndata: " + data.encode() + "\n\n");
    }
}
