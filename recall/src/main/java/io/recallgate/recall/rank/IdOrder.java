package io.recallgate.recall.rank;

import java.util.Comparator;
import java.util.UUID;

/** The order that breaks ties: that of PostgreSQL, byte by byte. {@link UUID#compareTo} compares signed halves. */
public enum IdOrder implements Comparator<UUID> {
    /** The one instance. */
    BYTES;

    @Override
    public int compare(UUID a, UUID b) {
        int high = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
        return high != 0 ? high : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
    }
}
