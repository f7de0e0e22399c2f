package io.recallgate.embedding.pool;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects the effects of one event, and knows which timers are armed so that none is armed twice or left behind. */
final class Outbox {

    private final Set<TimerKey> armed = new HashSet<>();
    private List<Effect> effects = new ArrayList<>();

    void add(Effect effect) {
        effects.add(effect);
    }

    /** Arms a timer once: while it is armed, arming it again changes nothing. */
    void arm(TimerKey key, long atNanos) {
        if (armed.add(key)) {
            effects.add(new Effect.ArmTimer(key, atNanos));
        }
    }

    void disarm(TimerKey key) {
        if (armed.remove(key)) {
            effects.add(new Effect.DisarmTimer(key));
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

    List<Effect> drain() {
        List<Effect> drained = List.copyOf(effects);
        effects = new ArrayList<>();
        return drained;
    }
}
