package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the dispatcher is told. Delivered one at a time, on the context that owns the dispatcher. */
public sealed interface PoolEvent {

    /** Calls the method of {@code handler} that belongs to this event. */
    void deliverTo(Handler handler);

    /** One method for each event, so that a new event cannot be forgotten. */
    interface Handler {
        /** A caller wants vectors. */
        void submit(Submit event);

        /** A caller is not let in. */
        void refuse(Refuse event);

        /** A caller gave up. */
        void cancelWaiter(CancelWaiter event);

        /** An armed timer came due. */
        void timerFired(TimerFired event);

        /** A worker spoke. */
        void fromWorker(WorkerSpoke event);

        /** A worker's thread is gone. */
        void slotExited(SlotExited event);

        /** Workers are wanted before work is. */
        void warmUp(WarmUp event);

        /** Another model is to serve. */
        void replaceModel(ReplaceModel event);

        /** An operator wants a fresh worker. */
        void restartSlot(RestartSlot event);

        /** The memory budget was measured. */
        void memorySample(MemorySample event);

        /** The pool is to end. */
        void shutdown(Shutdown event);
    }

    /**
     * A caller wants vectors. Exactly one {@link Effect.Settle} answers it.
     *
     * @param waiter the caller's number, never used before
     * @param inputs one or more rows
     * @param digest of the inputs, by {@link OperationKey#digest}; null lets the pool make it, which for inputs of
     *     megabytes takes too long for an event loop
     * @param bytes what the inputs are charged with; counted by the caller for the same reason. Any number will do for
     *     a caller that has given up, and for work that is too large one that shows it
     * @param deadlineNanos when the caller stops waiting, on the clock of {@code nowNanos}
     * @param cancelled why the caller has given up already, null if it has not
     */
    record Submit(
            long waiter,
            List<EmbedInput> inputs,
            @Nullable String digest,
            long bytes,
            InputType inputType,
            Priority priority,
            long deadlineNanos,
            @Nullable CancelCause cancelled)
            implements PoolEvent {
        /** Copies the inputs. */
        public Submit {
            inputs = List.copyOf(inputs);
            if (inputs.isEmpty()) {
                throw new IllegalArgumentException("nothing to embed");
            }
        }

        @Override
        public void deliverTo(Handler handler) {
            handler.submit(this);
        }
    }

    /**
     * A caller is not let in, for a reason that was found before its work came to the queue. One {@link Effect.Settle}
     * answers it; it counts like those that the queue refuses.
     *
     * @param waiter the caller's number, never used before
     */
    record Refuse(long waiter, FailureException why) implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.refuse(this);
        }
    }

    /** A caller gave up. Harmless for a waiter that has settled. */
    record CancelWaiter(long waiter, CancelCause cause) implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.cancelWaiter(this);
        }
    }

    /** A timer armed by {@link Effect.ArmTimer} came due. */
    record TimerFired(TimerKey key) implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.timerFired(this);
        }
    }

    /** A worker spoke. */
    record WorkerSpoke(FromWorker message) implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.fromWorker(this);
        }
    }

    /**
     * The worker's thread was seen to return and holds nothing any more: its undeployment completed, or its deployment
     * failed, or its thread ended. Reported for every {@link Effect.StartWorker} in the end, once or more often,
     * whether or not it was asked for by {@link Effect.RetireWorker}.
     */
    record SlotExited(int slot, long generation) implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.slotExited(this);
        }
    }

    /**
     * Keep this many workers alive from now on, whether or not there is work.
     *
     * @param workers zero (start on demand only) to the number of slots
     */
    record WarmUp(int workers) implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.warmUp(this);
        }
    }

    /**
     * Another model is to serve. Running work is drained to the drain bound and ended then; waiting work is run by the
     * new model. During a replacement it takes its place: the last one wins. Once shutdown has begun it means nothing.
     *
     * @param model what {@link Effect.StartWorker} names from now on
     * @param fingerprint of that model's files, which were checked
     */
    record ReplaceModel(String model, String fingerprint) implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.replaceModel(this);
        }
    }

    /**
     * An operator wants a fresh worker in this slot: it is drained to the drain bound, retired and started again; its
     * retry debt is forgiven. A slot that is stuck stays so, and starts again once its thread returned.
     */
    record RestartSlot(int slot) implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.restartSlot(this);
        }
    }

    /**
     * How much all workers together may hold.
     *
     * @param budgetBytes zero or more
     */
    record MemorySample(long budgetBytes) implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.memorySample(this);
        }
    }

    /** The pool is to end; answered by {@link Effect.ShutdownDone}. Repeating it joins the first. */
    record Shutdown() implements PoolEvent {
        @Override
        public void deliverTo(Handler handler) {
            handler.shutdown(this);
        }
    }
}
