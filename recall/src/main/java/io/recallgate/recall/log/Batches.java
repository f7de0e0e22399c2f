package io.recallgate.recall.log;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Gathers what is to be written, one batch on its way at a time: a plain state machine. Its owner tells it what happens,
 * one thing at a time, and does what it answers.
 */
final class Batches<T> {

    /** What a second brings at most on one node; beyond this the database is the one that is slow. */
    static final int MAX_WAITING = 1_000;

    /** So many are not kept waiting for more. */
    static final int MAX_BATCH = 100;

    private final Deque<T> waiting = new ArrayDeque<>();
    private WriterState state = WriterState.RESTING;
    private boolean closing;
    private long dropped;

    /** What the owner is to do. */
    enum Effect {
        /** Nothing. */
        NOTHING,
        /** Call {@link #timeIsUp()} in a while. */
        ARM,
        /** Write what {@link #take()} hands out, and call {@link #written()} whatever came of it; disarm. */
        WRITE,
        /** All is over; disarm. */
        END
    }

    WriterState state() {
        return state;
    }

    /** How many there was no place for. */
    long dropped() {
        return dropped;
    }

    Effect add(T one) {
        if (closing || waiting.size() >= MAX_WAITING) {
            dropped++;
            return Effect.NOTHING;
        }
        waiting.add(one);
        return switch (state) {
            case RESTING -> to(WriterState.GATHERING, Effect.ARM);
            case GATHERING -> waiting.size() >= MAX_BATCH ? to(WriterState.WRITING, Effect.WRITE) : Effect.NOTHING;
            case WRITING, CLOSED -> Effect.NOTHING;
        };
    }

    /** The while is over; harmless when it does not matter any more. */
    Effect timeIsUp() {
        return state == WriterState.GATHERING ? to(WriterState.WRITING, Effect.WRITE) : Effect.NOTHING;
    }

    /** The next batch. */
    List<T> take() {
        List<T> batch = new ArrayList<>();
        while (batch.size() < MAX_BATCH && !waiting.isEmpty()) {
            batch.add(waiting.remove());
        }
        return batch;
    }

    /** The batch on its way has been written, or is lost. */
    Effect written() {
        if (waiting.isEmpty()) {
            return closing ? to(WriterState.CLOSED, Effect.END) : to(WriterState.RESTING, Effect.NOTHING);
        }
        return closing || waiting.size() >= MAX_BATCH
                ? to(WriterState.WRITING, Effect.WRITE)
                : to(WriterState.GATHERING, Effect.ARM);
    }

    /** Takes nothing more and writes what it has. Idempotent. */
    Effect close() {
        closing = true;
        return switch (state) {
            case RESTING -> to(WriterState.CLOSED, Effect.END);
            case GATHERING -> to(WriterState.WRITING, Effect.WRITE);
            case WRITING, CLOSED -> Effect.NOTHING;
        };
    }

    /** The one place where the state changes. */
    private Effect to(WriterState next, Effect effect) {
        if (!state.next().contains(next)) {
            throw new IllegalStateException("the log's writer cannot go from " + state + " to " + next);
        }
        state = next;
        return effect;
    }
}
