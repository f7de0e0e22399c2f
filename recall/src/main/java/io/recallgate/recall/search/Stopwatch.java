package io.recallgate.recall.search;

import io.recallgate.recall.api.RecallResponse.Timing;
import io.recallgate.time.Clock;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Spans of one recall, on its clock. Each field is written by one stage and read after that stage has settled. */
final class Stopwatch {

    private final Clock clock;
    private final long started;
    private volatile @Nullable Double embedding;
    private volatile @Nullable Double lexical;
    private volatile @Nullable Double vector;
    private volatile @Nullable Double fusion;

    Stopwatch(Clock clock) {
        this.clock = clock;
        this.started = clock.nanoTime();
    }

    long now() {
        return clock.nanoTime();
    }

    void embeddingSince(long start) {
        embedding = since(start);
    }

    void lexicalSince(long start) {
        lexical = since(start);
    }

    void vectorSince(long start) {
        vector = since(start);
    }

    /** Fusing and loading are one stage to the reader: both come after the legs. */
    void fusionSince(long start) {
        Double before = fusion;
        fusion = (before == null ? 0 : before) + since(start);
    }

    Timing timing() {
        return new Timing(since(started), embedding, lexical, vector, fusion);
    }

    private double since(long start) {
        return (clock.nanoTime() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
}
