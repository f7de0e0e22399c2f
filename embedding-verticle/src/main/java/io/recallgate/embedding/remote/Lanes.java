package io.recallgate.embedding.remote;

import io.recallgate.embedding.api.Priority;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who may use a connection. Queries go first, and may have all but one; documents may have half. So neither keeps the
 * other out, however many there are of it. Plain and confined to its owner's context; its bound on what waits is the
 * quota that was passed before.
 */
final class Lanes<T> {

    private final int connections;
    private final Map<Priority, Deque<T>> waiting = new EnumMap<>(Priority.class);
    private final Map<Priority, Integer> running = new EnumMap<>(Priority.class);

    /** @param connections at least 2 */
    Lanes(int connections) {
        this.connections = connections;
        for (Priority priority : Priority.values()) {
            waiting.put(priority, new ArrayDeque<>());
            running.put(priority, 0);
        }
    }

    /** Waits for a connection from now on. */
    void enqueue(Priority priority, T work) {
        queue(priority).addLast(work);
    }

    /** Waits no more; false if it did not. */
    boolean withdraw(Priority priority, T work) {
        return queue(priority).remove(work);
    }

    /** The next to use a connection, which counts as taken; null if there is none or it has to wait. */
    @Nullable
    T next() {
        for (Priority priority : List.of(Priority.QUERY, Priority.DOCUMENT)) {
            int share = priority == Priority.QUERY ? connections - 1 : connections / 2;
            boolean free = running(Priority.QUERY) + running(Priority.DOCUMENT) < connections;
            if (free && running(priority) < share && !queue(priority).isEmpty()) {
                running.merge(priority, 1, Integer::sum);
                return queue(priority).removeFirst();
            }
        }
        return null;
    }

    /** A connection is free again. */
    void release(Priority priority) {
        running.merge(priority, -1, Integer::sum);
    }

    /** Takes all out that wait. */
    List<T> clear(Priority priority) {
        List<T> all = new ArrayList<>(queue(priority));
        queue(priority).clear();
        return all;
    }

    /** Connections that are taken. */
    int running(Priority priority) {
        return running.getOrDefault(priority, 0);
    }

    /** How many wait. */
    int waiting(Priority priority) {
        return queue(priority).size();
    }

    /** The one that waits for longest, null if none does. */
    @Nullable
    T oldest(Priority priority) {
        return queue(priority).peekFirst();
    }

    private Deque<T> queue(Priority priority) {
        Deque<T> queue = waiting.get(priority);
        if (queue == null) {
            throw new IllegalStateException("no queue for " + priority);
        }
        return queue;
    }
}
