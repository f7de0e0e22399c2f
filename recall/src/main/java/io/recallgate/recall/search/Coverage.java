package io.recallgate.recall.search;

import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which share of a scope's memories has all its passages in vectors of a model. Counted, then remembered: a count is used
 * for a second or for a hundred times what it took, whichever is longer, and after that once more while the next one is
 * counted behind it. A count older than a minute is not used. Thread-safe.
 */
final class Coverage {

    private static final String COUNT = Statements.load("search/coverage");
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FRESH_PER_COST = 100;
    private static final long EXPIRY_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long COUNT_MILLIS = 10_000;
    private static final int MAX_SCOPES = 10_000;

    private final Database database;
    private final Clock clock;
    private final Map<Key, Counted> known = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Key, Future<Counts>> counting = new HashMap<>();

    Coverage(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** Memories in scope, and how many have all their vectors. */
    record Counts(long memories, long embedded) {
        /** 0 to 1; 1 exactly when every memory has one, or there is none. */
        double share() {
            return embedded >= memories ? 1 : (double) embedded / memories;
        }
    }

    private record Key(Scope scope, String fingerprint) {}

    private record Counted(Counts counts, long atNanos, long costNanos) {}

    /** A recent count, made now if there is none. */
    Future<Counts> recent(Scope scope, String fingerprint) {
        Key key = new Key(scope, fingerprint);
        Counted counted;
        synchronized (this) {
            counted = known.get(key);
        }
        if (counted == null) {
            return count(key);
        }
        long age = clock.nanoTime() - counted.atNanos;
        if (age <= Math.max(FRESH_NANOS, FRESH_PER_COST * counted.costNanos)) {
            return Future.succeededFuture(counted.counts);
        }
        Future<Counts> next = count(key);
        return age > EXPIRY_NANOS ? next : Future.succeededFuture(counted.counts);
    }

    /** A count that began after this call, or shares one that is running. */
    Future<Counts> now(Scope scope, String fingerprint) {
        return count(new Key(scope, fingerprint));
    }

    private Future<Counts> count(Key key) {
        synchronized (this) {
            Future<Counts> running = counting.get(key);
            if (running != null) {
                return running;
            }
            long started = clock.nanoTime();
            Future<Counts> count = database.connection(
                            Deadline.afterMillis(clock, COUNT_MILLIS), connection -> connection
                                    .preparedQuery(COUNT)
                                    .execute(Tuple.of(key.scope.owner(), key.scope.project(), key.fingerprint)))
                    .map(rows -> {
                        Row row = rows.iterator().next();
                        return new Counts(row.getLong(0), row.getLong(1));
                    });
            counting.put(key, count);
            // Never runs inside this call for a future that a connection completes, and is harmless if it did.
            return count.onComplete(outcome -> settled(key, outcome.succeeded() ? outcome.result() : null, started));
        }
    }

    private synchronized void settled(Key key, @Nullable Counts counts, long started) {
        counting.remove(key);
        if (counts == null) {
            return;
        }
        known.put(key, new Counted(counts, started, clock.nanoTime() - started));
        if (known.size() > MAX_SCOPES) {
            known.remove(known.keySet().iterator().next());
        }
    }
}
