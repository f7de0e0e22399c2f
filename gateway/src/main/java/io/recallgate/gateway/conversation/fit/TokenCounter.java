package io.recallgate.gateway.conversation.fit;

import io.recallgate.gateway.conversation.transcript.Entry;
import io.recallgate.gateway.conversation.transcript.Span;
import io.recallgate.gateway.conversation.transcript.Transcript;
import java.nio.charset.StandardCharsets;

/** Counts the parts of requests for one tokenizer. Thread-safe. */
public final class TokenCounter {

    /** Before the first message, after the last one, and where the answer begins. */
    static final int PER_REQUEST = 8;

    private final Tokenizer tokenizer;
    private final TokenCache cache;

    /** @param cache shared by all counters */
    public TokenCounter(Tokenizer tokenizer, TokenCache cache) {
        this.tokenizer = tokenizer;
        this.cache = cache;
    }

    /** Who counts. */
    public Tokenizer tokenizer() {
        return tokenizer;
    }

    /** A memory block, as it stands in a message. It comes again with each turn, as messages do. */
    public Count block(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return cache.count(tokenizer, bytes, 0, bytes.length, () -> tokenizer.count(text))
                .plus(new Count(MessageTokens.PER_MESSAGE, true));
    }

    /** What goes along with every turn: instructions wherever they stand, and tools as their JSON. */
    Count fixed(Transcript transcript) {
        byte[] bytes = transcript.body().bytes();
        Count sum = new Count(PER_REQUEST, true);
        for (Span span : transcript.fixed().instructions()) {
            sum = sum.plus(json(bytes, span));
        }
        for (Span span : transcript.fixed().tools()) {
            sum = sum.plus(cache.count(tokenizer, bytes, span.start(), span.length(), () -> raw(bytes, span)));
        }
        return sum;
    }

    private Count raw(byte[] bytes, Span span) {
        return tokenizer.count(new String(bytes, span.start(), span.length(), StandardCharsets.UTF_8));
    }

    /** A message as the client sent it; nothing for an instruction, which {@link #fixed} has. */
    Count whole(Transcript transcript, Entry entry) {
        return entry.isInstruction() ? Count.NONE : json(transcript.body().bytes(), entry.whole());
    }

    /** The same with its long outputs shortened. */
    Count shortened(Transcript transcript, Entry entry) {
        if (entry.outputs().isEmpty()) {
            return whole(transcript, entry);
        }
        byte[] bytes = Shortening.apply(transcript.body().bytes(), entry);
        return json(bytes, new Span(0, bytes.length));
    }

    private Count json(byte[] bytes, Span span) {
        return cache.count(
                tokenizer,
                bytes,
                span.start(),
                span.length(),
                () -> MessageTokens.of(tokenizer, bytes, span.start(), span.length()));
    }
}
