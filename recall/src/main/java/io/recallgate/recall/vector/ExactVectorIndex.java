package io.recallgate.recall.vector;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.read.ReadWorkers.Ask;
import io.recallgate.recall.vector.VectorBlocks.View;
import io.recallgate.recall.vector.VectorScan.Filter;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link VectorIndex} for servers without pgvector: compares the query with every vector of the scope, on read workers,
 * over a cache that is bounded in bytes over all scopes. Each search first asks the table what changed, so it sees
 * every commit of any node at once. Thread-safe.
 *
 * <p>A scope whose vectors alone exceed the bound is refused with {@code work-too-large}.
 */
public final class ExactVectorIndex implements VectorIndex {

    private static final Logger LOG = LoggerFactory.getLogger(ExactVectorIndex.class);

    private final VectorReader reader;
    private final Clock clock;
    private final ReadWorkers workers;
    private final LongSupplier maxBytes;
    private final Counter evictions;

    /** How many announced removals are kept for scopes that are cached only afterwards, perhaps before the commit. */
    private static final int MAX_REMOVALS = 10_000;

    /** What was read from this database is of no use once the index is closed, perhaps to open another. */
    private final CancelSignal closed = new CancelSignal();

    private final Map<Key, CachedScope> scopes = new LinkedHashMap<>(16, 0.75f, true);
    /** Newest last; guarded, as {@link #scopes}, by the latter. */
    private final Map<UUID, Scope> removals = new LinkedHashMap<>();

    /**
     * Starts with an empty cache.
     *
     * @param maxBytes bound of the cache, read on each use
     */
    public ExactVectorIndex(
            Database database, Clock clock, ReadWorkers workers, LongSupplier maxBytes, MeterRegistry meters) {
        this.reader = new VectorReader(database);
        this.clock = clock;
        this.workers = workers;
        this.maxBytes = maxBytes;
        this.evictions = RecallMetric.VECTOR_CACHE_EVICTIONS.counter(meters);
        RecallMetric.VECTOR_CACHE_BYTES.gauge(meters, this, ExactVectorIndex::cachedBytes);
    }

    private record Key(Scope scope, String fingerprint) {}

    @Override
    public Future<List<VectorHit>> search(VectorQuery query, Deadline deadline, CancelSignal cancel) {
        Key key = new Key(query.scope(), query.fingerprint());
        CachedScope cached = scope(key);
        // As they were when they were looked at: a later look that fails empties the cache under a scan that waits.
        Future<List<View>> fresh =
                cached.refresh().onComplete(ignored -> makeRoom(key, cached)).map(ignored -> cached.views());
        Future<@Nullable Set<UUID>> allowed = reader.allowed(query, deadline, cancel);
        Future<Set<UUID>> superseded = reader.superseded(query, deadline, cancel);
        return Future.all(fresh, allowed, superseded)
                .compose(ignored -> VectorScan.nearest(
                        workers,
                        Ask.until(deadline).cancelledBy(cancel).cancelledBy(closed),
                        fresh.result(),
                        query.vector(),
                        new Filter(allowed.result(), superseded.result()),
                        query.limit()));
    }

    @Override
    public Future<Map<UUID, Double>> similarities(
            VectorQuery query, Collection<UUID> memoryIds, Deadline deadline, CancelSignal cancel) {
        Key key = new Key(query.scope(), query.fingerprint());
        CachedScope cached = scope(key);
        float[] wanted = query.vector().toArray();
        // The search for the nearest has just looked; only where there was none, or its scope had to make room, is it
        // time.
        Future<Void> fresh = cached.views().isEmpty()
                ? cached.refresh().onComplete(ignored -> makeRoom(key, cached))
                : Future.succeededFuture();
        // Each of some hundred thousand factors may be far away in memory, which is too long for an event loop.
        return fresh.compose(ignored -> workers.run(
                Ask.until(deadline).cancelledBy(cancel).cancelledBy(closed),
                () -> cached.similarities(memoryIds, wanted)));
    }

    @Override
    public Future<Void> replace(SqlConnection transaction, List<StoredVector> vectors) {
        // The next search reads them by their transaction number.
        return Future.succeededFuture();
    }

    @Override
    public Future<Void> remove(SqlConnection transaction, Scope scope, List<UUID> memoryIds) {
        synchronized (scopes) {
            memoryIds.forEach(id -> removals.put(id, scope));
            Iterator<UUID> eldest = removals.keySet().iterator();
            while (removals.size() > MAX_REMOVALS) {
                eldest.next();
                eldest.remove();
            }
            scopes.forEach((key, cached) -> {
                if (key.scope.equals(scope)) {
                    cached.suspect(memoryIds);
                }
            });
        }
        return Future.succeededFuture();
    }

    @Override
    public void committed(Scope scope) {
        // Nothing to do: searches look for themselves, which also covers commits of other nodes.
    }

    @Override
    public Future<Void> close() {
        closed.cancel(CancelCause.SHUTDOWN);
        synchronized (scopes) {
            scopes.clear();
        }
        return Future.succeededFuture();
    }

    /** What the cache holds now. */
    public long cachedBytes() {
        synchronized (scopes) {
            return scopes.values().stream().mapToLong(CachedScope::chargedBytes).sum();
        }
    }

    /** How many scopes it knows. */
    int scopes() {
        synchronized (scopes) {
            return scopes.size();
        }
    }

    private CachedScope scope(Key key) {
        synchronized (scopes) {
            CachedScope known = scopes.get(key);
            if (known != null) {
                return known;
            }
            CachedScope fresh = new CachedScope(reader, clock, key.scope, key.fingerprint, maxBytes);
            fresh.suspect(removals.entrySet().stream()
                    .filter(removal -> removal.getValue().equals(key.scope))
                    .map(Map.Entry::getKey)
                    .toList());
            scopes.put(key, fresh);
            return fresh;
        }
    }

    /**
     * Drops the scopes that were not asked for the longest; never the one that is in use, unless it is empty: there is
     * no bound on how many empty ones are asked for. One that is too large is remembered as such.
     */
    private void makeRoom(Key key, CachedScope inUse) {
        synchronized (scopes) {
            if (inUse.chargedBytes() == 0 && !inUse.isRefused()) {
                scopes.remove(key, inUse);
            }
            long held = scopes.values().stream()
                    .mapToLong(CachedScope::chargedBytes)
                    .sum();
            Iterator<CachedScope> eldest = scopes.values().iterator();
            while (held > maxBytes.getAsLong() && eldest.hasNext()) {
                CachedScope candidate = eldest.next();
                if (candidate != inUse && candidate.chargedBytes() > 0) {
                    held -= candidate.chargedBytes();
                    eldest.remove();
                    evictions.increment();
                    LOG.info(
                            "the vector cache dropped a scope of {} bytes to make room; it holds {} bytes now",
                            candidate.chargedBytes(),
                            held);
                }
            }
        }
    }
}
