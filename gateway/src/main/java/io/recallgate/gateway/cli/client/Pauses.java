package io.recallgate.gateway.cli.client;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How a command waits between two looks. Injected, so that tests need not wait. */
@FunctionalInterface
public interface Pauses {

    /**
     * Blocks the calling thread.
     *
     * @param millis how long, at least 0
     */
    void pauseMillis(long millis);

    /** Pauses in real time; ends early only when the thread is interrupted, which stays visible on the thread. */
    static Pauses real() {
        CountDownLatch never = new CountDownLatch(1);
        return millis -> {
            try {
                boolean opened = never.await(millis, TimeUnit.MILLISECONDS);
                assert !opened : "nobody opens this latch";
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }
}
