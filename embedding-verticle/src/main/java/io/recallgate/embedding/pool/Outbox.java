package io.recallgate.embedding.pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects the effects of one event, and knows which timers are armed so that none is armed twice or left behind. */
final class Outbox {

    private final Set<TimerKey> armed = new HashSet<>();
    /** What a worker or a caller waits for. */
    private List<Effect> awaited = new ArrayList<>();

    private List<Effect> others = new ArrayList<>();

    void add(Effect effect) {
        boolean isAwaited = effect instanceof Effect.Send || effect instanceof Effect.Settle;
        (isAwaited ? awaited : others).add(effect);
    }

    /** Arms a timer once: while it is armed, arming it again changes nothing. */
    void arm(TimerKey key, long atNanos) {
        if (armed.add(key)) {
            others.add(new Effect.ArmTimer(key, atNanos));
        }
    }

    void disarm(TimerKey key) {
        if (armed.remove(key)) {
            others.add(new Effect.DisarmTimer(key));
        }
    }

    /** Takes note that a timer came due; false for one that is not armed, whose firing means nothing. */
    boolean fired(TimerKey key) {
        return armed.remove(key);
    }

    boolean isArmed(TimerKey key) {
        return armed.contains(key);
    }

    int armedTimers() {
        return armed.size();
    }

    /** All of them, in their order, except that nobody who waits is kept waiting by timers and news. */
    List<Effect> drain() {
        List<Effect> drained = awaited;
        drained.addAll(others);
        awaited = new ArrayList<>();
        others = new ArrayList<>();
        return Collections.unmodifiableList(drained);
    }
}
