package io.recallgate.bench.pool;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Texts without end for a span of time, and the rate at which they were embedded. The rate counts from the first text
 * that was done to the last one before the end, while everybody had work: neither the first texts' own time nor the
 * idling at the end, when some threads have nothing left to take, is anybody's throughput. Any thread.
 */
final class Feed {

    private final List<String> texts;
    private final AtomicInteger next = new AtomicInteger();
    private final long endNanos;
    private long firstNanos;
    private long lastNanos;
    private long firstTexts;
    private long allTexts;

    /**
     * @param texts given out in turn, again and again; more of them than are ever under way at once
     * @param endNanos of {@link System#nanoTime}: nothing is given out and nothing counts from then on
     */
    Feed(List<String> texts, long endNanos) {
        this.texts = texts;
        this.endNanos = endNanos;
    }

    /** The next texts, empty once it is over. */
    List<String> take(int count) {
        if (System.nanoTime() - endNanos >= 0) {
            return List.of();
        }
        int from = Math.floorMod(next.getAndAdd(count), texts.size());
        if (from + count <= texts.size()) {
            return texts.subList(from, from + count);
        }
        return texts.subList(0, count);
    }

    /** This many texts are done. */
    void done(int count) {
        done(count, System.nanoTime());
    }

    synchronized void done(int count, long now) {
        if (now - endNanos >= 0) {
            return;
        }
        if (allTexts == 0) {
            firstNanos = now;
            firstTexts = count;
        }
        allTexts += count;
        lastNanos = now;
    }

    /**
     * Texts in a second.
     *
     * @throws IllegalStateException if the time was too short for two answers
     */
    synchronized double rate() {
        if (allTexts == firstTexts || lastNanos == firstNanos) {
            throw new IllegalStateException("nothing was done in time: give rounds more --seconds");
        }
        return (allTexts - firstTexts) * 1e9 / (lastNanos - firstNanos);
    }
}
