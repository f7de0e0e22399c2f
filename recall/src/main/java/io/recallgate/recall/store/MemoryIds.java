package io.recallgate.recall.store;

import io.recallgate.time.Clock;
import java.security.SecureRandom;
import java.util.UUID;

/** Ids of version 7 (RFC 9562): they begin with the time, so that new rows land on the same pages of an index. */
final class MemoryIds {

    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    MemoryIds(Clock clock) {
        this.clock = clock;
    }

    UUID next() {
        long millis = clock.instant().toEpochMilli();
        long high = (millis << 16) | 0x7000L | (random.nextInt() & 0x0FFFL);
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
