package io.recallgate.gateway.http.transfer;

import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Time for imports and exports, and ids that begin with it. Thread-safe. */
final class TransferClock {

    private final Clock clock;
    private final Timers timers;
    private final SecureRandom random = new SecureRandom();

    TransferClock(Clock clock, Timers timers) {
        this.clock = clock;
        this.timers = timers;
    }

    Deadline afterMillis(long spanMillis) {
        return Deadline.afterMillis(clock, spanMillis);
    }

    Timers.Timer schedule(long delayMillis, Runnable task) {
        return timers.schedule(TimeUnit.MILLISECONDS.toNanos(delayMillis), task);
    }

    /** A new id of version 7 (RFC 9562). */
    UUID nextId() {
        long high = (clock.instant().toEpochMilli() << 16) | 0x7000L | (random.nextInt() & 0x0FFFL);
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
