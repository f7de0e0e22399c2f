package io.recallgate.gateway.conversation.transcript;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.BodyJson;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tokens of a body with their places in its bytes. */
final class BodyParser implements Closeable {

    private static final int NO_LIMIT = -1;

    private final byte[] bytes;
    private final JsonParser parser;
    private JsonToken token = JsonToken.NOT_AVAILABLE;
    private byte[] scratch = new byte[1_024];
    private int textStart;
    private int textEnd;
    private boolean textEscaped;

    BodyParser(byte[] bytes) throws IOException {
        this.bytes = bytes;
        this.parser = BodyJson.FACTORY.createParser(bytes);
    }

    /** A parser of a part of a body that was read before. */
    static JsonParser part(byte[] bytes, Span span) throws IOException {
        return BodyJson.FACTORY.createParser(bytes, span.start(), span.length());
    }

    /** The next token, null after the last one. */
    @Nullable
    JsonToken next() throws IOException {
        JsonToken read = parser.nextToken();
        token = read == null ? JsonToken.NOT_AVAILABLE : read;
        if (read == JsonToken.VALUE_STRING) {
            // The parser has read the opening quote only; it checks the rest when it passes over it.
            textStart = start() + 1;
            int quote = JsonText.closingQuote(bytes, textStart);
            textEscaped = quote < 0;
            textEnd = textEscaped ? ~quote : quote;
        }
        return read;
    }

    /** How deep the next token is nested at most. */
    int depth() {
        return parser.getParsingContext().getNestingDepth();
    }

    /** The token read last. */
    JsonToken token() {
        return token;
    }

    /** Name of the field that is being read. */
    String name() throws IOException {
        return parser.currentName();
    }

    /** The first byte of the token, which is not a name. */
    int start() {
        return (int) parser.currentTokenLocation().getByteOffset();
    }

    /** After the bracket that was read last. */
    int bracketEnd() {
        return (int) parser.currentLocation().getByteOffset();
    }

    /** After the scalar that was read last. */
    int scalarEnd() throws IOException {
        return token == JsonToken.VALUE_STRING ? textEnd + 1 : start() + parser.getTextLength();
    }

    /** What stands between the quotes of the string that was read last. */
    Span text() {
        return new Span(textStart, textEnd);
    }

    /** Passes over a value without looking at its texts. */
    void skip() throws IOException {
        parser.skipChildren();
    }

    /**
     * The string that was read last.
     *
     * @throws FailureException {@code invalid-text}
     */
    String string(Supplier<String> field) {
        int length = decode(field);
        return new String(textEscaped ? scratch : bytes, textEscaped ? 0 : textStart, length, StandardCharsets.UTF_8);
    }

    /** The characters of the string that was read last, as UTF-8, go into the chain. */
    void digestText(ChainDigest chain, Supplier<String> field) {
        int length = decode(field);
        if (textEscaped) {
            chain.bytes('s', scratch, 0, length);
        } else {
            chain.bytes('s', bytes, textStart, textEnd);
        }
    }

    /** A number goes into the chain as it stands. */
    void digestNumber(ChainDigest chain) throws IOException {
        chain.bytes('d', bytes, start(), scalarEnd());
    }

    private int decode(Supplier<String> field) {
        int length = textEnd - textStart;
        if (!textEscaped) {
            return length;
        }
        if (scratch.length < length) {
            scratch = Arrays.copyOf(scratch, Math.max(length, scratch.length * 2));
        }
        return JsonText.decode(bytes, textStart, textEnd, scratch, field);
    }

    /**
     * A whole number from 0 on, null for {@code null}, and for -1, which several local servers take for no limit.
     *
     * @throws FailureException {@code invalid-field} for anything else
     */
    @Nullable
    Integer limit(String field) throws IOException {
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        if (token != JsonToken.VALUE_NUMBER_INT
                || parser.getNumberType() != JsonParser.NumberType.INT
                || parser.getIntValue() < NO_LIMIT) {
            throw FailureException.ofField(
                    FailureCode.INVALID_FIELD, field, field + " must be a whole number from 0 on");
        }
        int limit = parser.getIntValue();
        return limit == NO_LIMIT ? null : limit;
    }

    /**
     * True or false; null counts as false.
     *
     * @throws FailureException {@code invalid-field} for anything else
     */
    boolean flag(String field) {
        if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE && token != JsonToken.VALUE_NULL) {
            throw FailureException.ofField(FailureCode.INVALID_FIELD, field, field + " must be true or false");
        }
        return token == JsonToken.VALUE_TRUE;
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
