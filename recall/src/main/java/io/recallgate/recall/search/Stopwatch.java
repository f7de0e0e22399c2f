package io.recallgate.recall.search;

import io.recallgate.recall.api.EmbeddingSource;
import io.recallgate.recall.api.RecallResponse.Timing;
import io.recallgate.time.Clock;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Spans of one recall, on its clock. Each field is written by one stage and read after that stage has settled. */
final class Stopwatch {

    private final Clock clock;
    private final long started;
    private final Tally tally = new Tally();
    private volatile @Nullable Double embedding;
    private volatile @Nullable EmbeddingSource source;
    private volatile @Nullable Double lexical;
    private volatile @Nullable Double vector;
    private volatile @Nullable Double fusion;

    Stopwatch(Clock clock) {
        this.clock = clock;
        this.started = clock.nanoTime();
    }

    /** What was found meanwhile. */
    Tally tally() {
        return tally;
    }

    long now() {
        return clock.nanoTime();
    }

    /** @param from where the vector came from, null if it did not */
    void embeddingSince(long start, @Nullable EmbeddingSource from) {
        embedding = since(start);
        source = from;
    }

    /** Finding candidates and ranking them are one stage to the reader. */
    void lexicalSince(long start) {
        Double before = lexical;
        lexical = (before == null ? 0 : before) + since(start);
    }

    /** Searching, and comparing what the words found. */
    void vectorSince(long start) {
        Double before = vector;
        vector = (before == null ? 0 : before) + since(start);
    }

    /** Fusing and loading are one stage to the reader: both come after the legs. */
    void fusionSince(long start) {
        Double before = fusion;
        fusion = (before == null ? 0 : before) + since(start);
    }

    Timing timing() {
        return new Timing(since(started), embedding, source, lexical, vector, fusion);
    }

    private double since(long start) {
        return (clock.nanoTime() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
}
