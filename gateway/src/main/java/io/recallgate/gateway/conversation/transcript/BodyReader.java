package io.recallgate.gateway.conversation.transcript;

import com.fasterxml.jackson.core.JsonToken;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.BodyJson;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a request once, from its first byte to its last. Used for one body. */
final class BodyReader {

    /** As many as Anthropic takes in one request; bounds what their entries take beside the body. */
    private static final int MAX_MESSAGES = 100_000;

    private final Protocol protocol;
    private final RequestBody body;
    private final ChainDigest chain;
    private final Set<String> seen = new HashSet<>();
    private final List<Span> instructions = new ArrayList<>();
    private final List<Span> tools = new ArrayList<>();
    private final List<Entry> entries = new ArrayList<>();
    private final ByteArrayOutputStream chains = new ByteArrayOutputStream();
    private String model = "";
    private boolean streams;
    private boolean includesUsage;
    private @Nullable Integer maxTokens;
    private @Nullable Integer maxCompletionTokens;
    private int leading;

    BodyReader(Protocol protocol, RequestBody body) {
        this.protocol = protocol;
        this.body = body;
        this.chain = new ChainDigest(protocol);
    }

    /** What {@link Transcript#parse} does. */
    Transcript read() {
        JsonText.requireUtf8(body.bytes());
        try (BodyParser parser = new BodyParser(body.bytes())) {
            object(parser);
        } catch (IOException e) {
            throw BodyJson.refusal(e, 0);
        }
        if (!seen.contains("messages")) {
            throw wrong("messages", "is missing");
        }
        Integer limit = maxCompletionTokens != null ? maxCompletionTokens : maxTokens;
        return new Transcript(
                protocol,
                body,
                new RequestOptions(model, streams, includesUsage, limit),
                new Fixed(instructions, tools, leading),
                entries,
                chains.toByteArray());
    }

    private void object(BodyParser parser) {
        try {
            if (parser.next() != JsonToken.START_OBJECT) {
                throw new FailureException(FailureCode.INVALID_JSON, "the body must be a JSON object");
            }
            while (parser.next() != JsonToken.END_OBJECT) {
                String field = parser.name();
                parser.next();
                member(parser, field);
            }
            if (parser.next() != null) {
                throw new FailureException(FailureCode.INVALID_JSON, "text after the JSON object");
            }
        } catch (IOException e) {
            throw BodyJson.refusal(e, parser.depth());
        }
    }

    private void member(BodyParser parser, String field) throws IOException {
        switch (field) {
            case "messages" -> {
                once(field);
                messages(parser);
            }
            case "model" -> {
                once(field);
                requireToken(parser, field, "a string", JsonToken.VALUE_STRING);
                model = parser.string(() -> field);
            }
            case "stream" -> {
                once(field);
                streams = parser.flag(field);
            }
            case "max_tokens" -> {
                once(field);
                maxTokens = parser.limit(field);
            }
            case "max_completion_tokens" -> {
                once(field);
                maxCompletionTokens = parser.limit(field);
            }
            case "stream_options" -> {
                once(field);
                streamOptions(parser);
            }
            case "system" -> {
                once(field);
                value(parser, instructions);
            }
            case "tools", "functions", "response_format", "output_format", "output_config" -> {
                once(field);
                value(parser, tools);
            }
            default -> parser.skip();
        }
    }

    private void once(String field) {
        if (!seen.add(field)) {
            throw FailureException.ofField(FailureCode.INVALID_JSON, field, field + " is given twice");
        }
    }

    private void messages(BodyParser parser) throws IOException {
        requireToken(parser, "messages", "an array", JsonToken.START_ARRAY);
        MessageReader reader = new MessageReader(parser, chain);
        for (int i = 0; parser.next() != JsonToken.END_ARRAY; i++) {
            if (i == MAX_MESSAGES) {
                throw wrong("messages", "has more than " + MAX_MESSAGES + " messages");
            }
            Entry entry = reader.read(i);
            if (entry.isInstruction()) {
                instructions.add(entry.whole());
            }
            if (protocol == Protocol.OPENAI && entries.isEmpty() && entry.isInstruction()) {
                // A date in it changes from turn to turn, and what was said does not.
                leading++;
            } else {
                entries.add(entry);
                chains.writeBytes(chain.end());
            }
        }
        if (entries.isEmpty() && leading == 0) {
            throw wrong("messages", "must have at least one message");
        }
    }

    private void streamOptions(BodyParser parser) throws IOException {
        if (parser.token() == JsonToken.VALUE_NULL) {
            return;
        }
        requireToken(parser, "stream_options", "an object", JsonToken.START_OBJECT);
        while (parser.next() != JsonToken.END_OBJECT) {
            String field = parser.name();
            parser.next();
            if (field.equals("include_usage")) {
                includesUsage = parser.flag("stream_options.include_usage");
            } else {
                parser.skip();
            }
        }
    }

    /** Notes where a value stands, whatever it is. */
    private static void value(BodyParser parser, List<Span> into) throws IOException {
        int start = parser.start();
        if (parser.token().isStructStart()) {
            parser.skip();
            into.add(new Span(start, parser.bracketEnd()));
        } else {
            into.add(new Span(start, parser.scalarEnd()));
        }
    }

    private static void requireToken(BodyParser parser, String field, String what, JsonToken token) {
        if (parser.token() != token) {
            throw wrong(field, "must be " + what);
        }
    }

    private static FailureException wrong(String field, String why) {
        return FailureException.ofField(FailureCode.INVALID_FIELD, field, field + " " + why);
    }
}
