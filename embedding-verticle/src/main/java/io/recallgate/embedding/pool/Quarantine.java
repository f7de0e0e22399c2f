package io.recallgate.embedding.pool;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Keys of work that a worker's thread may still be busy with although its operation is over, so that nobody runs it a
 * second time beside it; and how often a key has outlived its watchdog, so that it never takes a third slot.
 */
final class Quarantine {

    /** Expiries after which work is not run again. */
    private static final int FINAL_STRIKES = 2;

    private final PoolLimits.Retention limits;
    private final Map<OperationKey, Entry> entries = new LinkedHashMap<>();

    Quarantine(PoolLimits.Retention limits) {
        this.limits = limits;
    }

    private static final class Entry {
        final Set<Holder> held = new HashSet<>();
        final Set<Holder> fenced = new HashSet<>();
        int strikes;
        long expiresAt;

        boolean isBusy() {
            return !(held.isEmpty() && fenced.isEmpty());
        }
    }

    /** A worker that has not given the work back: work that goes to another model may have one there, too. */
    private record Holder(int slot, long generation) {}

    /** Holds a key until the thread of this slot returns: joiners fail at once. */
    void hold(OperationKey key, int slot, long generation) {
        Entry entry = entry(key);
        Holder holder = new Holder(slot, generation);
        entry.held.add(holder);
        entry.fenced.remove(holder);
        bound();
    }

    /** Keeps a key from being dispatched until this slot has given it back: joiners may wait for that. */
    void fence(OperationKey key, int slot, long generation) {
        entry(key).fenced.add(new Holder(slot, generation));
        bound();
    }

    /** Work goes on under another key: workers that have not given it back keep that from being dispatched, too. */
    void fenceLike(OperationKey before, OperationKey after) {
        Entry known = entries.get(before);
        if (known != null && !known.fenced.isEmpty() && !before.equals(after)) {
            entry(after).fenced.addAll(known.fenced);
            bound();
        }
    }

    /** Turns the fences of this slot into holds, and tells for which keys. */
    List<OperationKey> harden(int slot, long generation) {
        List<OperationKey> keys = new ArrayList<>();
        Holder holder = new Holder(slot, generation);
        entries.forEach((key, entry) -> {
            if (entry.fenced.remove(holder)) {
                entry.held.add(holder);
                keys.add(key);
            }
        });
        return keys;
    }

    /**
     * Counts an expiry.
     *
     * @return whether the work is not to be run again
     */
    boolean strike(OperationKey key, long now) {
        Entry entry = entry(key);
        entry.strikes++;
        entry.expiresAt = now + limits.quarantineAge().toNanos();
        bound();
        return entry.strikes >= FINAL_STRIKES;
    }

    /** The thread of this slot returned. */
    void release(int slot, long generation, long now) {
        Holder holder = new Holder(slot, generation);
        entries.values().removeIf(entry -> {
            boolean held = entry.held.remove(holder);
            boolean fenced = entry.fenced.remove(holder);
            if (!(held || fenced) || entry.isBusy()) {
                return false;
            }
            entry.expiresAt = now + limits.quarantineAge().toNanos();
            return entry.strikes == 0;
        });
        // What was busy beyond the bound is not any more.
        bound();
    }

    /** The work was done after all. */
    void absolve(OperationKey key) {
        Entry entry = entries.get(key);
        if (entry != null && !entry.isBusy()) {
            entries.remove(key);
        }
    }

    boolean isHeld(OperationKey key) {
        Entry entry = entries.get(key);
        return entry != null && !entry.held.isEmpty();
    }

    boolean isFenced(OperationKey key) {
        Entry entry = entries.get(key);
        return entry != null && !entry.fenced.isEmpty();
    }

    boolean isFinal(OperationKey key) {
        Entry entry = entries.get(key);
        return entry != null && entry.strikes >= FINAL_STRIKES;
    }

    /** Whether it expired before, so that it should not share a slice with others. */
    boolean isSuspect(OperationKey key) {
        Entry entry = entries.get(key);
        return entry != null && entry.strikes > 0;
    }

    void expire(long now) {
        entries.values().removeIf(entry -> !entry.isBusy() && entry.expiresAt - now <= 0);
    }

    /** Forgets expiries whose thread has returned. */
    void forgetReturned() {
        entries.values().removeIf(entry -> !entry.isBusy());
    }

    /** Keys whose thread has not returned. */
    int busyKeys() {
        return (int) entries.values().stream().filter(Entry::isBusy).count();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    int size() {
        return entries.size();
    }

    OptionalLong nextExpiry(long now) {
        OptionalLong left = OptionalLong.empty();
        for (Entry entry : entries.values()) {
            if (!entry.isBusy() && (left.isEmpty() || entry.expiresAt - now < left.getAsLong())) {
                left = OptionalLong.of(entry.expiresAt - now);
            }
        }
        return left.isEmpty() ? left : OptionalLong.of(now + left.getAsLong());
    }

    private Entry entry(OperationKey key) {
        return entries.computeIfAbsent(key, ignored -> new Entry());
    }

    /** Forgets the oldest expiry. Busy keys are bounded by the slots and stay. */
    private void bound() {
        Iterator<Entry> oldest = entries.values().iterator();
        while (entries.size() > limits.quarantined() && oldest.hasNext()) {
            if (!oldest.next().isBusy()) {
                oldest.remove();
            }
        }
    }
}
