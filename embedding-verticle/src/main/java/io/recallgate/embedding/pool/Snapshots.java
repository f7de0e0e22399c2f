package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.Priority;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Takes the picture of a pool. */
final class Snapshots {

    private Snapshots() {}

    static PoolSnapshot of(PoolState pool, long now) {
        return new PoolSnapshot(
                now,
                pool.model,
                pool.identity,
                pool.slots.all().stream().map(slot -> view(slot, now)).toList(),
                pool.operations.queue().view(Priority.QUERY, now),
                pool.operations.queue().view(Priority.DOCUMENT, now),
                pool.operations.live(),
                pool.operations.liveBytes(),
                pool.operations.waiters(),
                pool.retained.size(),
                pool.quarantine.busyKeys(),
                pool.slots.gate(),
                pool.throughput.view(now),
                pool.counters.counts(),
                pool.counters.dropped(),
                pool.closed,
                replacement(pool, now),
                pool.startTrouble);
    }

    private static PoolSnapshot.@Nullable ReplacementView replacement(PoolState pool, long now) {
        PoolState.Replacement running = pool.replacement;
        return running == null
                ? null
                : new PoolSnapshot.ReplacementView(
                        running.from(), pool.model, running.fingerprint(), now - running.since(), pool.slotsLeft());
    }

    private static PoolSnapshot.SlotView view(Slot slot, long now) {
        Slot.Slice slice = slot.slice;
        Slot.Retirement retirement = slot.retirement;
        return new PoolSnapshot.SlotView(
                slot.index,
                slot.state,
                slot.generation,
                now - slot.since,
                slice == null
                        ? List.of()
                        : slice.operations.stream()
                                .map(operation -> operation.id)
                                .toList(),
                slice == null ? null : slice.ending(),
                slot.identity,
                slot.load,
                slot.loads,
                slot.chargedBytes,
                slot.tokenCap,
                slot.debt.failures(),
                slot.debt.remainingNanos(now),
                retirement == null ? null : retirement.name().toLowerCase(Locale.ROOT),
                slot.outdated);
    }
}
