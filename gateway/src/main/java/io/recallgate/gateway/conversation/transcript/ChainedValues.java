package io.recallgate.gateway.conversation.transcript;

import com.fasterxml.jackson.core.JsonToken;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.io.IOException;
import java.util.function.Supplier;

/** Values of a message that only its chain needs to know. */
final class ChainedValues {

    /** Clients move it from turn to turn: it says what the provider is to cache, and nothing to the model. */
    static final String CACHE_CONTROL = "cache_control";

    private final BodyParser parser;
    private final ChainDigest chain;
    private final Supplier<String> place;

    /** @param place where a text that is no good stands */
    ChainedValues(BodyParser parser, ChainDigest chain, Supplier<String> place) {
        this.parser = parser;
        this.chain = chain;
        this.place = place;
    }

    /**
     * Puts the value at which the parser stands into the chain.
     *
     * @param marksCount whether a field that is named like a mark is one of the value's own
     */
    void chain(boolean marksCount) throws IOException {
        switch (parser.token()) {
            case START_OBJECT -> {
                chain.mark('{');
                while (parser.next() != JsonToken.END_OBJECT) {
                    String member = parser.name();
                    parser.next();
                    if (!marksCount && member.equals(CACHE_CONTROL)) {
                        parser.skip();
                    } else {
                        chain.name(member);
                        chain(marksCount);
                    }
                }
                chain.mark('}');
            }
            case START_ARRAY -> {
                chain.mark('[');
                while (parser.next() != JsonToken.END_ARRAY) {
                    chain(marksCount);
                }
                chain.mark(']');
            }
            case VALUE_STRING -> parser.digestText(chain, place);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.digestNumber(chain);
            case VALUE_TRUE -> chain.mark('t');
            case VALUE_FALSE -> chain.mark('f');
            case VALUE_NULL -> chain.mark('z');
            default -> throw new FailureException(FailureCode.INVALID_JSON, "not valid JSON: the body ends too early");
        }
    }
}
