package io.recallgate.gateway.http.pipeline;

import java.util.concurrent.atomic.AtomicLong;

/** A counted resource with a bound that is given with each request for it. Thread-safe. */
final class Quota {

    private final AtomicLong used = new AtomicLong();

    /** Takes {@code amount} if that stays within {@code bound}. */
    boolean take(long amount, long bound) {
        if (used.addAndGet(amount) <= bound) {
            return true;
        }
        used.addAndGet(-amount);
        return false;
    }

    void giveBack(long amount) {
        used.addAndGet(-amount);
    }

    long used() {
        return used.get();
    }
}
