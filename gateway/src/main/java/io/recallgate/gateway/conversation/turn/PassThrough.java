package io.recallgate.gateway.conversation.turn;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.Unpooled;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sends a turn as it came: recalls nothing and remembers nothing. Reads the body only to know that it is JSON. */
public final class PassThrough implements TurnPreparation {

    private final JsonWorkers workers;

    /** @param workers where large bodies are read */
    public PassThrough(JsonWorkers workers) {
        this.workers = workers;
    }

    @Override
    public Future<PreparedTurn> prepare(TurnRequest request, PhaseRun run) {
        run.enter(Phase.DECODE);
        byte[] body = request.body().bytes();
        return workers.runSurely(body.length, request.lifetime(), () -> Top.of(body))
                .map(top -> {
                    run.enter(Phase.ASSEMBLE);
                    return new Passed(request.body(), top, labels(request.session()));
                });
    }

    /**
     * A turn that is sent as it came, for one that has read it.
     *
     * @param model that it names, empty for none
     * @param streams whether it asks for a stream
     */
    public static PreparedTurn of(TurnRequest request, String model, boolean streams) {
        return new Passed(request.body(), new Top(model, streams), labels(request.session()));
    }

    private static Map<String, String> labels(@Nullable String session) {
        Map<String, String> labels = new LinkedHashMap<>();
        if (session != null) {
            labels.put("x-recallgate-session", session);
        }
        labels.put("x-recallgate-memories", "0");
        labels.put("x-recallgate-window", "passthrough");
        return labels;
    }

    /** What is on the uppermost level of a body. */
    private record Top(String model, boolean streams) {

        /** @throws FailureException {@code invalid-json} */
        static Top of(byte[] body) {
            try (JsonParser parser = BodyJson.FACTORY.createParser(body)) {
                return whole(parser);
            } catch (IOException e) {
                throw new FailureException(FailureCode.INVALID_JSON, "the body is not valid UTF-8").causedBy(e);
            }
        }

        private static Top whole(JsonParser parser) {
            try {
                if (parser.nextToken() != JsonToken.START_OBJECT) {
                    throw new FailureException(FailureCode.INVALID_JSON, "the body must be a JSON object");
                }
                Top top = read(parser);
                if (parser.nextToken() != null) {
                    throw new FailureException(
                            FailureCode.INVALID_JSON,
                            "text after the JSON object" + BodyJson.at(parser.currentTokenLocation()));
                }
                return top;
            } catch (IOException e) {
                throw BodyJson.refusal(e, parser.getParsingContext().getNestingDepth());
            }
        }

        private static Top read(JsonParser parser) throws IOException {
            String model = "";
            boolean streams = false;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value == JsonToken.VALUE_STRING && "model".equals(name)) {
                    model = parser.getText();
                } else if ("stream".equals(name)) {
                    streams = value == JsonToken.VALUE_TRUE;
                }
                skip(parser);
            }
            return new Top(model, streams);
        }

        /** A value with all that is in it. */
        private static void skip(JsonParser parser) throws IOException {
            int depth = 0;
            for (JsonToken token = parser.currentToken(); ; token = parser.nextToken()) {
                if (token == null) {
                    throw new FailureException(FailureCode.INVALID_JSON, "the body ends early");
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                if (depth == 0) {
                    return;
                }
            }
        }
    }

    private record Passed(RequestBody sent, Top top, Map<String, String> labels) implements PreparedTurn {

        @Override
        public List<Buffer> body() {
            return List.of(BufferInternal.buffer(Unpooled.wrappedBuffer(sent.bytes())));
        }

        @Override
        public String model() {
            return top.model();
        }

        @Override
        public boolean streams() {
            return top.streams();
        }

        @Override
        public ResponseTap tap(int status, String contentType) {
            return ResponseTap.NONE;
        }

        @Override
        public Future<Void> commit() {
            return Future.succeededFuture();
        }
    }
}
