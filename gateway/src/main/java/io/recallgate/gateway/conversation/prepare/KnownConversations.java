package io.recallgate.gateway.conversation.prepare;

import io.recallgate.recall.api.Checkpoint;
import io.recallgate.recall.api.Scope;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How far the conversations are that this node has served lately, for turns that have no time to ask the database. Only a
 * help: a checkpoint that is missing costs a better window, and one that does not fit the request is told by its digest.
 * Holds no text: a memory that is removed is not kept here. Bounded, the conversation that was quiet longest out first.
 * Thread-safe.
 */
final class KnownConversations {

    /** Going back, or in parallel, further than this is left to the database. */
    static final int MAX_CHECKPOINTS = 4;

    private final Map<Key, Deque<Checkpoint>> known;

    private record Key(Scope scope, String session) {}

    /** @param most conversations; each takes about 1 KiB */
    KnownConversations(int most) {
        known = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Key, Deque<Checkpoint>> eldest) {
                return size() > most;
            }
        };
    }

    /** The checkpoints of a session, newest first. */
    synchronized List<Checkpoint> checkpoints(Scope scope, String session) {
        Deque<Checkpoint> of = known.get(new Key(scope, session));
        return of == null ? List.of() : List.copyOf(of);
    }

    /** A turn was accepted. */
    synchronized void accepted(Scope scope, String session, Checkpoint checkpoint) {
        Deque<Checkpoint> of = known.computeIfAbsent(new Key(scope, session), fresh -> new ArrayDeque<>());
        of.removeIf(older -> older.chain().equals(checkpoint.chain()));
        of.addFirst(checkpoint);
        if (of.size() > MAX_CHECKPOINTS) {
            of.removeLast();
        }
    }

    synchronized int size() {
        return known.size();
    }
}
