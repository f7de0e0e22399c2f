package io.recallgate.gateway.conversation.fit;

/**
 * How many tokens something is.
 *
 * @param tokens from 0 on
 * @param exact whether the model's own tokenizer counted the texts; what the provider puts around them is estimated always
 */
public record Count(int tokens, boolean exact) {

    static final Count NONE = new Count(0, true);

    Count plus(Count other) {
        return new Count(Math.addExact(tokens, other.tokens), exact && other.exact);
    }
}
