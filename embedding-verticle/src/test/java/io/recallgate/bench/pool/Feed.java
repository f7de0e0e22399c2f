package io.recallgate.bench.pool;

import java.util.List;

/**
 * Texts without end for a span of time, and the rate at which they were embedded. The rate counts from the first text
 * that was done to the last one before the end, while everybody had work: neither the first texts' own time nor the
 * idling at the end, when some threads have nothing left to take, is anybody's throughput. Any thread.
 */
final class Feed {

    /** Answers that a rate takes at least, where they come slower than was thought. */
    private static final int MIN_ANSWERS = 4;

    private final List<String> texts;
    private final long endNanos;
    private int next;
    private long firstNanos;
    private long lastNanos;
    private long firstTexts;
    private long allTexts;
    private int answers;
    private boolean over;

    /**
     * @param texts given out in turn, again and again; more of them than are ever under way at once
     * @param endNanos of {@link System#nanoTime}: nothing is given out and nothing counts from then on, once there are
     *     enough answers for a rate
     */
    Feed(List<String> texts, long endNanos) {
        this.texts = texts;
        this.endNanos = endNanos;
    }

    /** The next texts, empty once it is over. */
    synchronized List<String> take(int count) {
        if (over) {
            return List.of();
        }
        if (next + count > texts.size()) {
            next = 0;
        }
        next += count;
        return texts.subList(next - count, next);
    }

    /** This many texts are done. */
    void done(int count) {
        done(count, System.nanoTime());
    }

    synchronized void done(int count, long now) {
        if (over) {
            return;
        }
        over = answers >= MIN_ANSWERS && now - endNanos >= 0;
        if (over) {
            return;
        }
        if (answers == 0) {
            firstNanos = now;
            firstTexts = count;
        }
        answers++;
        allTexts += count;
        lastNanos = now;
    }

    /** Texts in a second. */
    synchronized double rate() {
        if (answers < MIN_ANSWERS) {
            throw new IllegalStateException("no more than " + answers + " answers");
        }
        return (allTexts - firstTexts) * 1e9 / (lastNanos - firstNanos);
    }
}
