package io.recallgate.recall.log;

import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes what it is given, in batches and a moment later; whoever gives does not wait. Thread-safe. */
final class BatchWriter<T> {

    /** How long the first of a batch waits for company. */
    static final long GATHER_MILLIS = 1_000;

    private final Timers timers;
    private final Function<List<T>, Future<Void>> write;
    private final Promise<Void> ended = Promise.promise();

    // All below is guarded by this.

    private final Batches<T> batches = new Batches<>();
    private Timers.@Nullable Timer gathering;

    /** @param write writes a batch, bounded in time; what comes of it is its own affair */
    BatchWriter(Timers timers, Function<List<T>, Future<Void>> write) {
        this.timers = timers;
        this.write = write;
    }

    /** Takes one; false if there is no place for it. Returns at once and throws nothing. */
    boolean add(T one) {
        boolean[] taken = new boolean[1];
        on(() -> {
            long before = batches.dropped();
            Batches.Effect effect = batches.add(one);
            taken[0] = batches.dropped() == before;
            return effect;
        });
        return taken[0];
    }

    /** Writes what it has and takes nothing more; bounded, idempotent, never fails. */
    Future<Void> close() {
        on(batches::close);
        return ended.future();
    }

    private void on(Supplier<Batches.Effect> event) {
        List<T> batch = List.of();
        boolean end = false;
        synchronized (this) {
            Batches.Effect effect = event.get();
            switch (effect) {
                case NOTHING -> {}
                case ARM ->
                    gathering =
                            timers.schedule(TimeUnit.MILLISECONDS.toNanos(GATHER_MILLIS), () -> on(batches::timeIsUp));
                case WRITE -> {
                    disarm();
                    batch = batches.take();
                }
                case END -> {
                    disarm();
                    end = true;
                }
            }
        }
        if (!batch.isEmpty()) {
            write.apply(batch).onComplete(ignored -> on(batches::written));
        }
        if (end) {
            ended.tryComplete();
        }
    }

    private void disarm() {
        if (gathering != null) {
            gathering.cancel();
            gathering = null;
        }
    }
}
