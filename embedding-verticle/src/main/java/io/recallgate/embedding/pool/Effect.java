package io.recallgate.embedding.pool;

import io.recallgate.embedding.protocol.ToWorker;

/** What the dispatcher wants done. Performed in order, in the turn of the event that it follows from. */
public sealed interface Effect {

    /** Calls the method of {@code performer} that belongs to this effect. */
    void performBy(Performer performer);

    /** One method for each effect, so that a new effect cannot be forgotten. */
    interface Performer {
        /** Makes a worker. */
        void startWorker(StartWorker effect);

        /** Sends a message to a worker. */
        void send(Send effect);

        /** Arms a timer. */
        void armTimer(ArmTimer effect);

        /** Disarms a timer. */
        void disarmTimer(DisarmTimer effect);

        /** Answers a caller. */
        void settle(Settle effect);

        /** Ends a worker. */
        void retireWorker(RetireWorker effect);

        /** Tells the world. */
        void publish(Publish effect);

        /** Ends the shutdown. */
        void shutdownDone(ShutdownDone effect);
    }

    /**
     * Deploy a worker. It answers {@code Ready} or {@code StartFailed}; {@link PoolEvent.SlotExited} follows in either
     * case once its thread is gone. A deployment that fails before the worker could speak is reported as {@code
     * StartFailed} by whoever performs this, never thrown.
     *
     * @param slot from zero
     * @param generation of the slot, in every name and address of the worker
     * @param model what to load: a bundled name or a directory
     */
    record StartWorker(int slot, long generation, String model) implements Effect {
        @Override
        public void performBy(Performer performer) {
            performer.startWorker(this);
        }
    }

    /** Send this message to the worker that its slot and generation name. */
    record Send(ToWorker message) implements Effect {
        @Override
        public void performBy(Performer performer) {
            performer.send(this);
        }
    }

    /** Deliver {@link PoolEvent.TimerFired} with this key once {@code atNanos} has come. */
    record ArmTimer(TimerKey key, long atNanos) implements Effect {
        @Override
        public void performBy(Performer performer) {
            performer.armTimer(this);
        }
    }

    /** The timer of this key is not needed any more. */
    record DisarmTimer(TimerKey key) implements Effect {
        @Override
        public void performBy(Performer performer) {
            performer.disarmTimer(this);
        }
    }

    /** Answer the caller. */
    record Settle(long waiter, WaiterOutcome outcome) implements Effect {
        @Override
        public void performBy(Performer performer) {
            performer.settle(this);
        }
    }

    /**
     * Undeploy the worker, without ever waiting for it; {@link PoolEvent.SlotExited} reports when its thread returned.
     * Its session is closed by its own thread or not at all.
     */
    record RetireWorker(int slot, long generation) implements Effect {
        @Override
        public void performBy(Performer performer) {
            performer.retireWorker(this);
        }
    }

    /** Publish on {@code recallgate.events} and count. */
    record Publish(PoolNotice notice) implements Effect {
        @Override
        public void performBy(Performer performer) {
            performer.publish(this);
        }
    }

    /** The shutdown is over; nothing further is sent or armed. Emitted again for each repeated request. */
    record ShutdownDone(ShutdownReport report) implements Effect {
        @Override
        public void performBy(Performer performer) {
            performer.shutdownDone(this);
        }
    }
}
