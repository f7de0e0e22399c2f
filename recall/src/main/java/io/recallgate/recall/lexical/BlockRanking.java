package io.recallgate.recall.lexical;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The memories of blocks that match a question best, by their postings alone. Pure; one use, one thread; some ten
 * nanoseconds for each posting.
 */
final class BlockRanking {

    private final QuestionScorer scorer;
    private final int most;
    /** Worst first. */
    private final PriorityQueue<Found> best = new PriorityQueue<>();

    private float[] scores = new float[0];
    private int[] touched = new int[0];
    private int size;
    private long first;

    /** @param most how many memories are wanted */
    BlockRanking(QuestionScorer scorer, int most) {
        this.scorer = scorer;
        this.most = most;
    }

    /** Of equal ones the newer is better. */
    private record Found(float score, long position) implements Comparable<Found> {
        @Override
        public int compareTo(Found other) {
            int order = Float.compare(score, other.score);
            return order != 0 ? order : Long.compare(position, other.position);
        }
    }

    /** Goes on to a block; what was said of the one before is over. */
    void block(long firstPosition, long lastPosition) {
        close();
        int span = (int) (lastPosition - firstPosition + 1);
        if (span > scores.length) {
            scores = new float[span];
            touched = new int[span];
        }
        first = firstPosition;
    }

    private void close() {
        for (int i = 0; i < size; i++) {
            int place = touched[i];
            float score = scores[place];
            scores[place] = 0;
            if (best.size() < most || score >= best.element().score) {
                best.add(new Found(score, first + place));
                if (best.size() > most) {
                    best.remove();
                }
            }
        }
        size = 0;
    }

    /** Takes the postings of a term in this block, once for each. */
    void add(int term, Buffer postings) {
        Postings.read(postings, (place, count, author, date, length) -> {
            if (scores[place] == 0) {
                touched[size++] = place;
            }
            scores[place] += Math.max(Float.MIN_NORMAL, scorer.weight(term, count, author, date, length));
        });
    }

    /** The positions of the best, in no order. */
    List<Long> best() {
        close();
        return best.stream().map(Found::position).toList();
    }
}
