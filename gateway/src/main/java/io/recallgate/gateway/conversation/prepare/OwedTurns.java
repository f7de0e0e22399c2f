package io.recallgate.gateway.conversation.prepare;

import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.recall.api.Scope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns that were answered on this node and could not be remembered, as while the database is away. The next one of the same
 * conversation that is remembered brings them along, since its request has all that they said. Only where they are is kept, and
 * no text. Bounded, the conversation that was quiet longest out first; of one the oldest turns. Thread-safe.
 */
final class OwedTurns {

    /** Of one conversation. */
    static final int MAX_TURNS = 32;

    private final Map<Key, List<Owed>> owed;

    private record Key(Scope scope, String session) {}

    /**
     * Where a turn is that is owed.
     *
     * @param from the first message that it brought
     * @param end after the last of them: the place of its answer
     * @param chain of the last of them
     */
    record Owed(int from, int end, String chain) {

        /** Whether a conversation has it. */
        boolean isIn(Transcript transcript) {
            return transcript.hasChain(end - 1, chain);
        }
    }

    /** @param most conversations; each takes some 300 bytes and 100 for each turn */
    OwedTurns(int most) {
        owed = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Key, List<Owed>> eldest) {
                return size() > most;
            }
        };
    }

    /** What is owed to a conversation, the oldest first. */
    synchronized List<Owed> of(Scope scope, String session, Transcript transcript) {
        return owed.getOrDefault(new Key(scope, session), List.of()).stream()
                .filter(turn -> turn.isIn(transcript))
                .toList();
    }

    /** A turn was not remembered. */
    synchronized void owe(Scope scope, String session, Owed turn) {
        List<Owed> turns = owed.computeIfAbsent(new Key(scope, session), fresh -> new ArrayList<>());
        turns.remove(turn);
        turns.add(turn);
        if (turns.size() > MAX_TURNS) {
            turns.remove(0);
        }
    }

    /** These are remembered. */
    synchronized void paid(Scope scope, String session, Collection<Owed> turns) {
        Key key = new Key(scope, session);
        List<Owed> rest = owed.get(key);
        if (rest != null) {
            rest.removeAll(turns);
            if (rest.isEmpty()) {
                owed.remove(key);
            }
        }
    }

    synchronized int size() {
        return owed.size();
    }
}
