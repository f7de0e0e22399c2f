package io.recallgate.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One variable that feeds clock and timers. Tasks never run inside {@link #schedule}; {@link #advance} runs what has
 * come due, in order of its time and then of its scheduling. Tests end with {@link #pending()} equal to zero. Owned by
 * the test's thread; the readers are safe from any thread.
 */
public final class FakeClock implements Clock, Timers {

    private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

    private final Queue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
    /** Starts close to the wrap-around, so that code comparing instants directly fails its tests. */
    private long now = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();

    private long elapsed;
    private long sequence;

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized Instant instant() {
        return EPOCH.plusNanos(elapsed);
    }

    @Override
    public synchronized Timer schedule(long delayNanos, Runnable run) {
        Task task = new Task(elapsed + Math.max(0, delayNanos), sequence++, run);
        tasks.add(task);
        return () -> {
            synchronized (this) {
                return tasks.remove(task);
            }
        };
    }

    /** Moves time and runs every task that comes due, each at its own instant. */
    public void advance(Duration span) {
        long target;
        synchronized (this) {
            target = elapsed + span.toNanos();
        }
        for (Task due = nextDue(target); due != null; due = nextDue(target)) {
            due.run.run();
        }
        synchronized (this) {
            moveTo(target);
        }
    }

    /** As {@link #advance(Duration)}, in milliseconds. */
    public void advanceMillis(long millis) {
        advance(Duration.ofMillis(millis));
    }

    /** Number of tasks that have neither run nor been cancelled. */
    public synchronized int pending() {
        return tasks.size();
    }

    private synchronized @Nullable Task nextDue(long target) {
        Task due = tasks.peek();
        if (due == null || due.at > target) {
            return null;
        }
        tasks.remove();
        moveTo(due.at);
        return due;
    }

    private void moveTo(long at) {
        long step = Math.max(0, at - elapsed);
        elapsed += step;
        now += step;
    }

    private record Task(long at, long order, Runnable run) {}
}
