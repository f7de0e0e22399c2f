package io.recallgate.gateway.conversation.admission;

import io.recallgate.recall.api.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Gives turns their places. Among those whose owner and session have room the one goes first whose owner has the fewest
 * active, and then the one that came first: nobody waits behind somebody else's bound, an owner who asks for much does not
 * push out one who asks for little, and the turns of one session are let in as they came.
 *
 * <p>A plain state machine: told what happens and when, answers what to do. Times are nanoseconds of a monotonic clock.
 */
final class Admission {

    private final AdmissionLimits limits;
    private final Map<Long, Turn> turns = new HashMap<>();
    /** Those of {@link #turns} that wait, as they came. */
    private final LinkedHashMap<Long, Turn> queue = new LinkedHashMap<>();

    private final Map<String, Count> owners = new HashMap<>();
    private final Map<Session, Count> sessions = new HashMap<>();
    private final Count all = new Count();

    Admission(AdmissionLimits limits) {
        this.limits = limits;
    }

    /** A session as one owner names it in one project. */
    record Session(Scope scope, String name) {}

    /** What the owner of this object is to do. */
    sealed interface Effect {
        /** The turn that it is about. */
        long turn();

        /** It has a place, which is to be given back with {@link #left}. */
        record Admit(long turn) implements Effect {}

        /** It has none, and will not get one. */
        record Refuse(long turn, Why why) implements Effect {}
    }

    /** Why a turn has no place. */
    enum Why {
        /** Too many wait, in all. */
        FULL,
        /** Too many of its owner wait. */
        OWNER_FULL,
        /** Too many of its session wait. */
        SESSION_FULL,
        /** It has waited for as long as a turn may. */
        WAITED
    }

    private static final class Count {
        private int active;
        private int waiting;

        private void add(TurnState state, int change) {
            switch (state) {
                case ACTIVE -> active += change;
                case WAITING -> waiting += change;
                case GONE -> {}
            }
        }

        private boolean isZero() {
            return active == 0 && waiting == 0;
        }
    }

    private static final class Turn {
        private final long id;
        private final String owner;
        private final @Nullable Session session;
        private final long untilNanos;
        private @Nullable TurnState state;

        private Turn(long id, Scope scope, @Nullable String session, long untilNanos) {
            this.id = id;
            this.owner = scope.owner();
            this.session = session == null ? null : new Session(scope, session);
            this.untilNanos = untilNanos;
        }
    }

    /**
     * A turn asks for a place.
     *
     * @param id which has not been used before
     * @param session null for none
     * @return what becomes of it, empty while it waits
     */
    List<Effect> arrived(long id, Scope scope, @Nullable String session, long now) {
        Turn turn = new Turn(id, scope, session, now + limits.waitMillis() * 1_000_000);
        if (hasRoom(turn)) {
            // Whoever waits has no room: it is let in as soon as it has.
            enter(turn, TurnState.ACTIVE);
            return List.of(new Effect.Admit(id));
        }
        Why full = full(turn);
        if (full != null) {
            return List.of(new Effect.Refuse(id, full));
        }
        enter(turn, TurnState.WAITING);
        return List.of();
    }

    /** A turn gives its place back, or does not want one any more. Does nothing for one that has none. */
    List<Effect> left(long id) {
        Turn turn = turns.get(id);
        if (turn == null) {
            return List.of();
        }
        move(turn, TurnState.GONE);
        return letIn();
    }

    /** The time of {@link #wakeAt} has come, or another one. */
    List<Effect> timeIsUp(long now) {
        List<Effect> effects = new ArrayList<>();
        for (Turn turn : List.copyOf(queue.values())) {
            if (turn.untilNanos - now <= 0) {
                move(turn, TurnState.GONE);
                effects.add(new Effect.Refuse(turn.id, Why.WAITED));
            }
        }
        return effects;
    }

    /** When {@link #timeIsUp} is to be told, empty while nobody waits. All wait for as long: the first came first. */
    OptionalLong wakeAt() {
        Iterator<Turn> waiting = queue.values().iterator();
        return waiting.hasNext() ? OptionalLong.of(waiting.next().untilNanos) : OptionalLong.empty();
    }

    int active() {
        return all.active;
    }

    int waiting() {
        return all.waiting;
    }

    /** Whether nothing is remembered of anybody. */
    boolean isEmpty() {
        return turns.isEmpty() && queue.isEmpty() && owners.isEmpty() && sessions.isEmpty() && all.isZero();
    }

    private List<Effect> letIn() {
        List<Effect> effects = new ArrayList<>();
        for (Turn next = next(); next != null; next = next()) {
            move(next, TurnState.ACTIVE);
            effects.add(new Effect.Admit(next.id));
        }
        return effects;
    }

    private @Nullable Turn next() {
        Turn best = null;
        for (Turn turn : queue.values()) {
            if (hasRoom(turn) && (best == null || owner(turn).active < owner(best).active)) {
                best = turn;
            }
        }
        return best;
    }

    private boolean hasRoom(Turn turn) {
        return all.active < limits.active()
                && owner(turn).active < limits.activePerOwner()
                && (turn.session == null || session(turn.session).active < limits.activePerSession());
    }

    private @Nullable Why full(Turn turn) {
        if (turn.session != null && session(turn.session).waiting >= limits.waitingPerSession()) {
            return Why.SESSION_FULL;
        }
        if (owner(turn).waiting >= limits.waitingPerOwner()) {
            return Why.OWNER_FULL;
        }
        return all.waiting >= limits.waiting() ? Why.FULL : null;
    }

    private Count owner(Turn turn) {
        return owners.getOrDefault(turn.owner, new Count());
    }

    private Count session(Session session) {
        return sessions.getOrDefault(session, new Count());
    }

    private void enter(Turn turn, TurnState state) {
        if (turns.putIfAbsent(turn.id, turn) != null) {
            throw new IllegalStateException("turn " + turn.id + " has asked before");
        }
        set(turn, state);
    }

    /** The one place where a state changes. */
    private void move(Turn turn, TurnState to) {
        TurnState from = turn.state;
        if (from == null || !from.next().contains(to)) {
            throw new IllegalStateException("turn " + turn.id + " cannot go from " + from + " to " + to);
        }
        count(turn, from, -1);
        if (from == TurnState.WAITING) {
            queue.remove(turn.id);
        }
        set(turn, to);
    }

    private void set(Turn turn, TurnState to) {
        turn.state = to;
        count(turn, to, 1);
        switch (to) {
            case WAITING -> queue.put(turn.id, turn);
            case ACTIVE -> {}
            case GONE -> turns.remove(turn.id);
        }
    }

    private void count(Turn turn, TurnState state, int change) {
        all.add(state, change);
        add(owners, turn.owner, state, change);
        if (turn.session != null) {
            add(sessions, turn.session, state, change);
        }
    }

    private static <K> void add(Map<K, Count> counts, K key, TurnState state, int change) {
        Count count = counts.computeIfAbsent(key, first -> new Count());
        count.add(state, change);
        if (count.isZero()) {
            counts.remove(key);
        }
    }
}
