package io.recallgate.recall.database;

import io.recallgate.time.Clock;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * What time statements go by: they read {@code coalesce($n::timestamptz, now())}. In production the database's own
 * clock, so that several nodes agree on leases whatever their clocks say; in tests a fake one.
 */
@FunctionalInterface
public interface DatabaseTime {

    /** The database's own clock. */
    DatabaseTime SERVER = () -> null;

    /** The instant to use, null for the database's own. */
    @Nullable
    OffsetDateTime now();

    /** The instants of {@code clock}. */
    static DatabaseTime of(Clock clock) {
        return () -> clock.instant().atOffset(ZoneOffset.UTC);
    }
}
