package io.recallgate.recall.vector;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.vector.VectorBlocks.View;
import io.recallgate.recall.vector.VectorReader.Passage;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The vectors of one scope and fingerprint, as fresh as the last look at the table. Looks are serial: a caller gets a
 * look that began after it asked, and callers that ask meanwhile share the next one. Thread-safe.
 *
 * <p>Additions and changes of any node are seen by their transaction. Removals leave no row behind: those of this node
 * are announced and checked, those of others are found by counting, at most {@link #COUNT_NANOS} later (until then such
 * a memory takes a place in the scan and is dropped when hits are loaded).
 */
final class CachedScope {

    static final long COUNT_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Longer than a transaction lives: a removal announced and still there by then was rolled back. */
    private static final long SUSPECT_NANOS = TimeUnit.SECONDS.toNanos(120);

    private static final long LOOK_MILLIS = 30_000;
    private static final UUID BEFORE_ALL = new UUID(0, 0);

    private final VectorReader reader;
    private final Clock clock;
    private final Scope scope;
    private final String fingerprint;
    private final LongSupplier maxBytes;

    private final Map<UUID, Long> suspects = new ConcurrentHashMap<>();
    private volatile List<View> views = List.of();
    private volatile long bytes;
    /** Changed only by the look in flight. */
    private volatile VectorBlocks blocks = new VectorBlocks();

    /** Touched only by the look in flight, as is the following. */
    private @Nullable String horizon;

    private long countedAtNanos;
    private volatile @Nullable Refusal refusal;

    private @Nullable Promise<Void> running;
    private @Nullable Promise<Void> next;

    /** When it did not fit, and by which bound. */
    private record Refusal(long atNanos, long bytes) {}

    CachedScope(VectorReader reader, Clock clock, Scope scope, String fingerprint, LongSupplier maxBytes) {
        this.reader = reader;
        this.clock = clock;
        this.scope = scope;
        this.fingerprint = fingerprint;
        this.maxBytes = maxBytes;
    }

    /** As of the last look; later ones leave it as it is. */
    List<View> views() {
        return views;
    }

    /**
     * How near each of these is whose vectors are there now. On any thread.
     *
     * @throws FailureException {@code invalid-field} about {@code vector} when dimensions differ
     */
    Map<UUID, Double> similarities(Collection<UUID> memoryIds, float[] query) {
        return blocks.similarities(memoryIds, query);
    }

    long chargedBytes() {
        return bytes;
    }

    /**
     * Whether it was too large a while ago, and the bound is no higher since: it would be read up to the bound again for
     * every search, only to be dropped.
     */
    boolean isRefused() {
        Refusal last = refusal;
        return last != null && maxBytes.getAsLong() <= last.bytes() && clock.nanoTime() - last.atNanos() < COUNT_NANOS;
    }

    /** These may be gone once a transaction commits. */
    void suspect(Collection<UUID> ids) {
        long now = clock.nanoTime();
        ids.forEach(id -> suspects.put(id, now));
    }

    /** Completes when everything committed before this call is in {@link #views()}. */
    Future<Void> refresh() {
        Promise<Void> mine;
        boolean start = false;
        synchronized (this) {
            if (running == null) {
                mine = running = Promise.promise();
                start = true;
            } else {
                mine = next = next == null ? Promise.promise() : next;
            }
        }
        if (start) {
            run(mine);
        }
        return mine.future();
    }

    private void run(Promise<Void> promise) {
        look().onComplete(outcome -> {
            Promise<Void> follower;
            synchronized (this) {
                follower = next;
                running = follower;
                next = null;
            }
            if (follower != null) {
                run(follower);
            }
            promise.handle(outcome);
        });
    }

    private Future<Void> look() {
        // Its own deadline: whoever asked first may leave, and others wait for the same look.
        Deadline deadline = Deadline.afterMillis(clock, LOOK_MILLIS);
        String from = horizon;
        if (from == null) {
            return isRefused() ? Future.failedFuture(tooLarge()) : load(deadline);
        }
        return reader.changes(scope, fingerprint, from, deadline)
                .compose(changes -> {
                    if (!changes.complete()) {
                        return load(deadline);
                    }
                    apply(changes.passages());
                    horizon = changes.horizon();
                    return dropSuspects(deadline).compose(ignored -> recount(deadline));
                })
                .compose(ignored -> checkSize());
    }

    private Future<Void> load(Deadline deadline) {
        horizon = null;
        VectorBlocks loaded = new VectorBlocks();
        return reader.horizon(deadline)
                .compose(start -> loadFrom(loaded, BEFORE_ALL, -1, deadline).onSuccess(ignored -> {
                    countedAtNanos = clock.nanoTime();
                    publish(loaded);
                    horizon = start;
                }))
                .onFailure(ignored -> publish(new VectorBlocks()));
    }

    private Future<Void> loadFrom(VectorBlocks loaded, UUID id, int number, Deadline deadline) {
        return reader.page(scope, fingerprint, id, number, deadline).compose(page -> {
            page.forEach(passage -> loaded.add(passage.memoryId(), passage.values()));
            if (loaded.chargedBytes() > maxBytes.getAsLong()) {
                return refuse();
            }
            if (page.size() < VectorReader.PAGE_ROWS) {
                return Future.succeededFuture();
            }
            Passage last = page.get(page.size() - 1);
            return loadFrom(loaded, last.memoryId(), last.number(), deadline);
        });
    }

    private Future<Void> dropSuspects(Deadline deadline) {
        Map<UUID, Long> asked = Map.copyOf(suspects);
        if (asked.isEmpty()) {
            return Future.succeededFuture();
        }
        return reader.present(scope, fingerprint, asked.keySet(), deadline)
                .onSuccess(present -> {
                    long now = clock.nanoTime();
                    asked.forEach((id, since) -> {
                        if (!present.contains(id)) {
                            blocks.remove(id);
                        }
                        if (!present.contains(id) || now - since > SUSPECT_NANOS) {
                            // Announced again meanwhile: then it stays suspect.
                            suspects.remove(id, since);
                        }
                    });
                    publish(blocks);
                })
                .mapEmpty();
    }

    private Future<Void> recount(Deadline deadline) {
        if (clock.nanoTime() - countedAtNanos < COUNT_NANOS) {
            return Future.succeededFuture();
        }
        long held = blocks.rows();
        return reader.count(scope, fingerprint, deadline).compose(count -> {
            countedAtNanos = clock.nanoTime();
            // A write between the two statements also differs; reading all again is then merely not needed.
            return count == held ? Future.succeededFuture() : load(deadline);
        });
    }

    private Future<Void> checkSize() {
        if (bytes <= maxBytes.getAsLong()) {
            return Future.succeededFuture();
        }
        horizon = null;
        publish(new VectorBlocks());
        return refuse();
    }

    private Future<Void> refuse() {
        refusal = new Refusal(clock.nanoTime(), maxBytes.getAsLong());
        return Future.failedFuture(tooLarge());
    }

    private FailureException tooLarge() {
        return new FailureException(
                FailureCode.WORK_TOO_LARGE,
                "the vectors of this scope are more than the cache may hold; raise its bound, or use a server with pgvector");
    }

    private void apply(List<Passage> passages) {
        if (passages.isEmpty()) {
            return;
        }
        // A write replaces all passages of a memory, so what came is all it has.
        passages.stream().map(Passage::memoryId).distinct().forEach(blocks::remove);
        passages.forEach(passage -> blocks.add(passage.memoryId(), passage.values()));
        publish(blocks);
    }

    private void publish(VectorBlocks now) {
        blocks = now;
        bytes = now.chargedBytes();
        views = now.views();
    }
}
