package io.recallgate.gateway.conversation.demo;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The demonstration's answer as OpenAI's clients read it. */
final class OpenAiDemo {

    private OpenAiDemo() {}

    static DemoAnswer answer(DemoRequest request) {
        if (!request.streams()) {
            JsonObject message = new JsonObject()
                    .put("role", "assistant")
                    .put("content", request.text())
                    .putNull("refusal");
            return DemoAnswer.whole(answer(request, "chat.completion")
                    .put("choices", choice(new JsonObject().put("message", message), "stop"))
                    .put("usage", usage(request))
                    .toBuffer());
        }
        List<Buffer> events = new ArrayList<>();
        events.add(chunk(request, new JsonObject().put("role", "assistant").put("content", ""), null));
        request.reply().forEach(words -> events.add(chunk(request, new JsonObject().put("content", words), null)));
        events.add(chunk(request, new JsonObject(), "stop"));
        if (request.includesUsage()) {
            events.add(event(answer(request, "chat.completion.chunk")
                    .put("choices", new JsonArray())
                    .put("usage", usage(request))));
        }
        events.add(Buffer.buffer("data: [DONE]\n\n"));
        return DemoAnswer.stream(events);
    }

    private static Buffer chunk(DemoRequest request, JsonObject delta, @Nullable String finish) {
        JsonObject chunk = answer(request, "chat.completion.chunk")
                .put("choices", choice(new JsonObject().put("delta", delta), finish));
        return event(request.includesUsage() ? chunk.putNull("usage") : chunk);
    }

    private static JsonObject answer(DemoRequest request, String object) {
        return new JsonObject()
                .put("id", "chatcmpl-demo-" + request.id())
                .put("object", object)
                .put("created", 0)
                .put("model", request.model());
    }

    private static JsonArray choice(JsonObject said, @Nullable String finish) {
        return new JsonArray().add(said.put("index", 0).putNull("logprobs").put("finish_reason", finish));
    }

    private static JsonObject usage(DemoRequest request) {
        return new JsonObject()
                .put("prompt_tokens", request.promptTokens())
                .put("completion_tokens", request.replyTokens())
                .put("total_tokens", request.promptTokens() + request.replyTokens());
    }

    private static Buffer event(JsonObject data) {
        return Buffer.buffer("data: " + data.encode() + "\n\n");
    }
}
