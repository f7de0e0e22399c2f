package io.recallgate.gateway.conversation.fit;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingRegistry;
import com.knuddels.jtokkit.api.EncodingType;
import java.util.Locale;
import java.util.Optional;

/** Who counts a text. Thread-safe. */
public enum Tokenizer {
    /** OpenAI's of gpt-4o, gpt-4.1, gpt-5 and the o-series. */
    O200K(EncodingType.O200K_BASE),
    /** OpenAI's of gpt-4 and gpt-3.5. */
    CL100K(EncodingType.CL100K_BASE),
    /** {@link TokenEstimate}: any other model. */
    ESTIMATE(null);

    /**
     * A longer text is estimated. The tokenizer is not quadratic, but 100,000 letters without a space took it 0.2 s where as
     * much code took 0.02 s, and nobody can stop it meanwhile.
     */
    static final int MAX_COUNTED_CHARS = 128 * 1024;

    private final Optional<EncodingType> type;

    Tokenizer(@org.jspecify.annotations.Nullable EncodingType type) {
        this.type = Optional.ofNullable(type);
    }

    /** The vocabularies, some 20 MB of heap each, read when one is first asked for. */
    private static final class Vocabularies {
        static final EncodingRegistry REGISTRY = Encodings.newLazyEncodingRegistry();
    }

    /**
     * Whose tokenizer a model has, by its name.
     *
     * @param model as a client names it, with or without a provider before it: {@code openai/gpt-4o}
     */
    public static Tokenizer of(String model) {
        String name = ContextWindows.bare(model.toLowerCase(Locale.ROOT));
        if (name.matches("(gpt-4o|chatgpt-4o|gpt-4\\.1|gpt-4\\.5|gpt-5|o[1-9]).*")) {
            return O200K;
        }
        return name.matches("gpt-(4|3\\.5)(-.*)?") ? CL100K : ESTIMATE;
    }

    /** Reads the vocabulary, which takes up to a second. Without this the first count does it. */
    public void load() {
        count("a");
    }

    /** Counts one text. */
    Count count(String text) {
        if (type.isEmpty() || text.length() > MAX_COUNTED_CHARS) {
            return new Count(TokenEstimate.of(text), false);
        }
        // Ordinary: what looks like a special token in a text is text.
        Encoding encoding = Vocabularies.REGISTRY.getEncoding(type.get());
        return new Count(encoding.countTokensOrdinary(text), true);
    }
}
