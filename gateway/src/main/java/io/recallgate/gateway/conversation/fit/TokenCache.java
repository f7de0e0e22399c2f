package io.recallgate.gateway.conversation.fit;

import io.recallgate.digest.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What was counted before, by the bytes that were counted and who counted them: a conversation comes again with each turn.
 * Bounded, with the least used out first; an entry is some 120 bytes. Thread-safe.
 */
public final class TokenCache {

    /** Shorter values are counted sooner than their digest is made. */
    private static final int MIN_BYTES = 256;

    /** Changes when the same bytes are to be counted in another way. */
    private static final int POLICY = 1;

    private final int entries;
    private final Map<Key, Count> counts;

    private record Key(long high, long low, Tokenizer tokenizer) {}

    /** @param entries that it holds at most; 0 for none */
    public TokenCache(int entries) {
        this.entries = entries;
        this.counts = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Key, Count> eldest) {
                return size() > entries;
            }
        };
    }

    /** What {@code counting} gives, or gave for the same bytes. */
    Count count(Tokenizer tokenizer, byte[] bytes, int start, int length, Supplier<Count> counting) {
        if (length < MIN_BYTES || entries == 0) {
            return counting.get();
        }
        Key key = key(tokenizer, bytes, start, length);
        synchronized (counts) {
            Count known = counts.get(key);
            if (known != null) {
                return known;
            }
        }
        // Outside of the lock: two who count the same at once do it twice, and nobody waits for the other.
        Count counted = counting.get();
        synchronized (counts) {
            counts.put(key, counted);
        }
        return counted;
    }

    /** How many it holds. */
    public int size() {
        synchronized (counts) {
            return counts.size();
        }
    }

    private static Key key(Tokenizer tokenizer, byte[] bytes, int start, int length) {
        MessageDigest sha256 = Sha256.digest();
        sha256.update((byte) POLICY);
        sha256.update(bytes, start, length);
        ByteBuffer digest = ByteBuffer.wrap(sha256.digest());
        return new Key(digest.getLong(), digest.getLong(), tokenizer);
    }
}
