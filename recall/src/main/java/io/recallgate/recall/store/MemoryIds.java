package io.recallgate.recall.store;

import io.recallgate.digest.Sha256;
import io.recallgate.recall.api.Scope;
import io.recallgate.time.Clock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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

    /**
     * The id that an exported memory gets in a scope where it is not: always the same one, and one that follows from the
     * scope, so that no choice of the given id makes it that of another owner's memory. A custom id (RFC 9562, version
     * 8): the time of the given one, for the index, and 74 bits of SHA-256.
     */
    static UUID restored(Scope scope, UUID exported) {
        byte[] owner = scope.owner().getBytes(StandardCharsets.UTF_8);
        byte[] project = scope.project().getBytes(StandardCharsets.UTF_8);
        byte[] named = ByteBuffer.allocate(2 * Integer.BYTES + owner.length + project.length + 2 * Long.BYTES)
                .putInt(owner.length)
                .put(owner)
                .putInt(project.length)
                .put(project)
                .putLong(exported.getMostSignificantBits())
                .putLong(exported.getLeastSignificantBits())
                .array();
        ByteBuffer hash = ByteBuffer.wrap(Sha256.of(named));
        long time = exported.getMostSignificantBits() & 0xFFFF_FFFF_FFFF_0000L;
        long high = time | 0x8000L | (hash.getLong() & 0x0FFFL);
        long low = (hash.getLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
