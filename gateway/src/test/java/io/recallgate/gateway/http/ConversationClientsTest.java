package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.UpstreamStub.stream;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.upstream.UpstreamOptions;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The official clients have conversations through the gateway, with a provider that plays a part for each model's name. */
@Tag("npm")
@Timeout(180)
class ConversationClientsTest {

    private UpstreamStub upstream;
    private TestGateway gateway;
    private final AtomicBoolean refused = new AtomicBoolean();

    @BeforeAll
    static void install() throws IOException, InterruptedException {
        OpenAiClientTest.install();
    }

    @BeforeEach
    void start() {
        upstream = new UpstreamStub();
        gateway = new TestGateway(upstream.conversation());
    }

    @AfterEach
    void stop() {
        try {
            gateway.placesComeBack();
            gateway.awaitMetric("recallgate_turn_active 0.0");
        } finally {
            gateway.close();
            upstream.close();
        }
    }

    @Test
    void openAisClientHasConversationsWithStreamsToolsImagesAndErrors() throws Exception {
        upstream.answer = (request, response) -> play(new OpenAi(), request, response);

        assertThat(OpenAiClientTest.script("chat.mjs", gateway)).endsWith("ok\n");
    }

    @Test
    void anthropicsClientHasConversationsWithStreamsToolsImagesAndErrors() throws Exception {
        upstream.answer = (request, response) -> play(new Claude(), request, response);

        assertThat(OpenAiClientTest.script("messages.mjs", gateway)).endsWith("ok\n");
    }

    @Test
    void bothClientsReadTheDemonstration() throws Exception {
        UpstreamOptions usual = upstream.conversation().upstream();
        gateway.runtime.conversation = UpstreamStub.conversation(new UpstreamOptions(
                true, usual.openAi(), usual.anthropic(), 5_000, usual.firstByteMillis(), usual.silenceMillis()));

        assertThat(OpenAiClientTest.script("demo.mjs", gateway)).endsWith("ok\n");
        assertThat(upstream.received).isEmpty();
    }

    /** What a provider of one protocol says. */
    private interface Part {

        String say(String text);

        List<JsonObject> stream(String... words);

        List<JsonObject> tools();

        String error(int status);

        String streamError();

        String event(JsonObject data);

        String last();
    }

    private void play(Part part, UpstreamStub.Received request, HttpServerResponse response) {
        String body = request.body().toString();
        String model = new JsonObject(body).getString("model");
        response.putHeader("x-request-id", "req_provider").putHeader("request-id", "req_provider");
        for (String name : List.of("authorization", "x-api-key", "anthropic-version")) {
            String value = request.headers().get(name);
            if (value != null) {
                response.putHeader("x-seen-" + name, value);
            }
        }
        switch (model) {
            case "plain" -> json(response, part.say("It is."));
            case "echo" -> json(response, part.say(body));
            case "stream" -> events(response, part, part.stream("It ", "is ", "raining."));
            case "tools" -> events(response, part, part.tools());
            case "refuses" -> response.reset();
            case "says-error" -> {
                UpstreamStub.stream(response);
                part.stream("It is").subList(0, 3).forEach(event -> response.write(part.event(event)));
                response.end(part.streamError());
            }
            case "breaks" -> {
                UpstreamStub.stream(response);
                part.stream("It is").subList(0, 3).forEach(event -> response.write(part.event(event)));
                response.write("data: {\"half").onComplete(sent -> response.reset());
            }
            case "once-503" -> {
                if (refused.compareAndSet(false, true)) {
                    response.setStatusCode(503).putHeader("retry-after", "0");
                    json(response, part.error(503));
                } else {
                    json(response, part.say("It is."));
                }
            }
            default -> {
                int status = Integer.parseInt(model.substring("error-".length()));
                response.setStatusCode(status)
                        .putHeader("retry-after", "3")
                        .putHeader("x-ratelimit-remaining-requests", "0")
                        .putHeader("anthropic-ratelimit-requests-remaining", "0");
                json(response, part.error(status));
            }
        }
    }

    private static void json(HttpServerResponse response, String body) {
        response.putHeader("content-type", "application/json").end(body);
    }

    private static void events(HttpServerResponse response, Part part, List<JsonObject> events) {
        stream(response);
        events.forEach(event -> response.write(part.event(event)));
        response.end(part.last());
    }

    private static final class OpenAi implements Part {

        @Override
        public String say(String text) {
            return new JsonObject()
                    .put("id", "chatcmpl-1")
                    .put("object", "chat.completion")
                    .put(
                            "choices",
                            new JsonArray()
                                    .add(new JsonObject()
                                            .put("index", 0)
                                            .put("finish_reason", "stop")
                                            .put(
                                                    "message",
                                                    new JsonObject()
                                                            .put("role", "assistant")
                                                            .put("content", text))))
                    .put("usage", usage(7))
                    .encode();
        }

        private static JsonObject usage(int tokens) {
            return new JsonObject()
                    .put("prompt_tokens", 4)
                    .put("completion_tokens", tokens - 4)
                    .put("total_tokens", tokens);
        }

        private static JsonObject chunk(JsonObject delta) {
            return new JsonObject()
                    .put("id", "chatcmpl-1")
                    .put("object", "chat.completion.chunk")
                    .put(
                            "choices",
                            new JsonArray().add(new JsonObject().put("index", 0).put("delta", delta)));
        }

        @Override
        public List<JsonObject> stream(String... words) {
            List<JsonObject> events = new ArrayList<>();
            events.add(chunk(new JsonObject().put("role", "assistant").put("content", "")));
            for (String word : words) {
                events.add(chunk(new JsonObject().put("content", word)));
            }
            events.add(chunk(new JsonObject()));
            events.add(new JsonObject().put("choices", new JsonArray()).put("usage", usage(9)));
            return events;
        }

        @Override
        public List<JsonObject> tools() {
            List<JsonObject> events = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                events.add(call(new JsonObject()
                        .put("index", i)
                        .put("id", "call_" + (i + 1))
                        .put("type", "function")
                        .put("function", new JsonObject().put("name", "weather").put("arguments", ""))));
                events.add(call(arguments(i, "{\"city\":")));
                events.add(call(arguments(i, "\"" + (i == 0 ? "Rome" : "Oslo") + "\"}")));
            }
            return events;
        }

        private static JsonObject arguments(int index, String text) {
            return new JsonObject().put("index", index).put("function", new JsonObject().put("arguments", text));
        }

        private static JsonObject call(JsonObject call) {
            return chunk(new JsonObject().put("tool_calls", new JsonArray().add(call)));
        }

        @Override
        public String error(int status) {
            return new JsonObject()
                    .put(
                            "error",
                            new JsonObject()
                                    .put("message", "no")
                                    .put("type", "some_error")
                                    .putNull("param")
                                    .put("code", status == 401 ? "invalid_api_key" : "server_error_code"))
                    .encode();
        }

        @Override
        public String streamError() {
            return "data: " + error(500) + "\n\n";
        }

        @Override
        public String event(JsonObject data) {
            return "data: " + data.encode() + "\n\n";
        }

        @Override
        public String last() {
            return "data: [DONE]\n\n";
        }
    }

    private static final class Claude implements Part {

        private static JsonObject of(String type) {
            return new JsonObject().put("type", type);
        }

        private static JsonObject message(JsonArray content, int tokens) {
            return of("message")
                    .put("id", "msg_1")
                    .put("role", "assistant")
                    .put("model", "m")
                    .put("content", content)
                    .put("stop_reason", content.isEmpty() ? null : "end_turn")
                    .putNull("stop_sequence")
                    .put("usage", new JsonObject().put("input_tokens", 4).put("output_tokens", tokens));
        }

        @Override
        public String say(String text) {
            return message(new JsonArray().add(of("text").put("text", text)), 3).encode();
        }

        @Override
        public List<JsonObject> stream(String... words) {
            List<JsonObject> events = new ArrayList<>();
            events.add(of("message_start").put("message", message(new JsonArray(), 1)));
            events.add(of("content_block_start")
                    .put("index", 0)
                    .put("content_block", of("text").put("text", "")));
            for (String word : words) {
                events.add(of("content_block_delta")
                        .put("index", 0)
                        .put("delta", of("text_delta").put("text", word)));
                events.add(of("ping"));
            }
            events.add(of("content_block_stop").put("index", 0));
            return events;
        }

        @Override
        public List<JsonObject> tools() {
            List<JsonObject> events = new ArrayList<>();
            events.add(of("message_start").put("message", message(new JsonArray(), 1)));
            for (int i = 0; i < 2; i++) {
                events.add(of("content_block_start")
                        .put("index", i)
                        .put(
                                "content_block",
                                of("tool_use")
                                        .put("id", "toolu_" + (i + 1))
                                        .put("name", "weather")
                                        .put("input", new JsonObject())));
                events.add(input(i, "{\"city\":"));
                events.add(input(i, "\"" + (i == 0 ? "Rome" : "Oslo") + "\"}"));
                events.add(of("content_block_stop").put("index", i));
            }
            return events;
        }

        private static JsonObject input(int index, String json) {
            return of("content_block_delta")
                    .put("index", index)
                    .put("delta", of("input_json_delta").put("partial_json", json));
        }

        @Override
        public String error(int status) {
            String type =
                    switch (status) {
                        case 401 -> "authentication_error";
                        case 429 -> "rate_limit_error";
                        case 529 -> "overloaded_error";
                        default -> "api_error";
                    };
            return of("error")
                    .put("error", of(type).put("message", "no"))
                    .put("request_id", "req_provider")
                    .encode();
        }

        @Override
        public String streamError() {
            return "event: error\ndata: " + error(529) + "\n\n";
        }

        @Override
        public String event(JsonObject data) {
            return "event: " + data.getString("type") + "\ndata: " + data.encode() + "\n\n";
        }

        @Override
        public String last() {
            return event(of("message_delta")
                            .put(
                                    "delta",
                                    new JsonObject()
                                            .put("stop_reason", "end_turn")
                                            .putNull("stop_sequence"))
                            .put("usage", new JsonObject().put("output_tokens", 5)))
                    + event(of("message_stop"));
        }
    }
}
