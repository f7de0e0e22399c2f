package io.recallgate.gateway.conversation.turn;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The JSON that conversations are sent in: one set of bounds, and one set of words for what is beyond them. Thread-safe. */
public final class BodyJson {

    /**
     * Deeper than schemas of tools and their arguments nest, and shallow enough that recursion over it is safe: a frame is some
     * 100 bytes.
     */
    public static final int MAX_DEPTH = 256;

    /** Makes parsers. */
    public static final JsonFactory FACTORY = JsonFactory.builder()
            // UTF-8 and nothing else, as the provider reads it: a guessed UTF-16 would make two readers see two
            // documents.
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            // Names come from callers: interned, their words would stay.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    // A picture is one string.
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private BodyJson() {}

    /**
     * What a client is told of a body that cannot be read.
     *
     * @param depth at which the parser stood
     */
    public static FailureException refusal(IOException error, int depth) {
        if (error instanceof StreamConstraintsException bound) {
            return new FailureException(
                            FailureCode.INVALID_JSON,
                            (depth > MAX_DEPTH
                                            ? "nested deeper than " + MAX_DEPTH + " levels"
                                            : "a name or a number is too long")
                                    + at(bound.getLocation()))
                    .causedBy(bound);
        }
        if (error instanceof JsonProcessingException wrong) {
            return new FailureException(FailureCode.INVALID_JSON, "not valid JSON" + at(wrong.getLocation()));
        }
        // Malformed UTF-8, which the parser reports as a plain CharConversionException.
        return new FailureException(FailureCode.INVALID_JSON, "the body is not valid UTF-8").causedBy(error);
    }

    /** A place, as it is put behind a message. */
    public static String at(@Nullable JsonLocation location) {
        return location == null ? "" : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }
}
