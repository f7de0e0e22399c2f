package io.recallgate.gateway.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for what another process does, to a bound. */
public final class Eventually {

    private Eventually() {}

    /** Looks every 10 ms until {@code condition} holds; fails after {@code boundSeconds}. */
    public static void holds(String what, long boundSeconds, BooleanSupplier condition) throws InterruptedException {
        Deadline deadline = Deadline.afterMillis(SystemClock.INSTANCE, boundSeconds * 1_000);
        CountDownLatch never = new CountDownLatch(1);
        while (!condition.getAsBoolean()) {
            assertThat(deadline.isPassed())
                    .as("within " + boundSeconds + " s: " + what)
                    .isFalse();
            assertThat(never.await(10, TimeUnit.MILLISECONDS)).isFalse();
        }
    }
}
