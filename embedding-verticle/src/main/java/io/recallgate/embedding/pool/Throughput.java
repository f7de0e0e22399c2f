package io.recallgate.embedding.pool;

import io.recallgate.embedding.pool.PoolSnapshot.RateView;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Finished rows and their tokens of the last ten seconds, by whole seconds of the pool's life. */
final class Throughput {

    /** Long enough to be read by a person, short enough to be about now. */
    static final long WINDOW_SECONDS = 10;

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Deque<RateView.Second> seconds = new ArrayDeque<>();
    private final long startNanos;

    /** @param startNanos from which seconds are counted: the clock itself may overflow */
    Throughput(long startNanos) {
        this.startNanos = startNanos;
    }

    void add(int rows, long tokens, long now) {
        long second = (now - startNanos) / SECOND_NANOS;
        forget(second);
        RateView.Second last = seconds.peekLast();
        if (last != null && last.number() == second) {
            seconds.removeLast();
            seconds.addLast(new RateView.Second(second, last.rows() + rows, last.tokens() + tokens));
        } else {
            seconds.addLast(new RateView.Second(second, rows, tokens));
        }
    }

    RateView view(long now) {
        forget((now - startNanos) / SECOND_NANOS);
        return new RateView(WINDOW_SECONDS, startNanos, List.copyOf(seconds));
    }

    private void forget(long second) {
        while (!seconds.isEmpty() && seconds.getFirst().number() <= second - WINDOW_SECONDS) {
            seconds.removeFirst();
        }
    }
}
