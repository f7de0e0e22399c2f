package io.recallgate.embedding.protocol;

import io.recallgate.embedding.api.ModelIdentity;
import java.util.List;

/**
 * Worker to dispatcher. Details are written for logs and operators and contain no text of a caller. Delivery may be
 * late, repeated or out of order; the dispatcher copes.
 */
public sealed interface FromWorker {

    /** The slot, from zero. */
    int slot();

    /** The generation of that slot which speaks. */
    long generation();

    /** Calls the method of {@code handler} that belongs to this message. */
    void deliverTo(Handler handler);

    /** One method for each message, so that a new message cannot be forgotten. */
    interface Handler {
        /** The model is loaded. */
        void ready(Ready message);

        /** The model could not be loaded. */
        void startFailed(StartFailed message);

        /** The worker holds more than it said before. */
        void grew(Grew message);

        /** A slice is about to enter native code. */
        void started(Started message);

        /** A slice ran to its end. */
        void completed(Completed message);

        /** A slice failed as a whole. */
        void failed(Failed message);

        /** A slice was cancelled before it started. */
        void cancelled(Cancelled message);

        /** A slice was ended on request. */
        void terminated(Terminated message);

        /** The worker closed what it held. */
        void stopped(Stopped message);
    }

    /**
     * The worker holds its model and takes work.
     *
     * @param model which model it loaded
     * @param batchInvariant whether a text has the same vector alone and in company, as measured at load time
     * @param batchCosine the lowest cosine seen between the two
     * @param residentBytes memory that this worker is charged with until it says {@link Grew}, zero or more
     * @param loadNanos how long loading took
     */
    record Ready(
            int slot,
            long generation,
            ModelIdentity model,
            boolean batchInvariant,
            double batchCosine,
            long residentBytes,
            long loadNanos)
            implements FromWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.ready(this);
        }
    }

    /**
     * The worker could not load its model and has let go of all it held.
     *
     * @param failure whether trying again can help
     */
    record StartFailed(int slot, long generation, StartFailure failure, String detail) implements FromWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.startFailed(this);
        }
    }

    /**
     * A run was larger than any before it, so that the worker holds more than it last said.
     *
     * @param chargedBytes what it is to be charged with from now on; less than before means nothing
     */
    record Grew(int slot, long generation, long chargedBytes) implements FromWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.grew(this);
        }
    }

    /**
     * The slice was not cancelled and its first native run begins now.
     *
     * @param drops what was dropped before it
     */
    record Started(int slot, long generation, long sliceId, WorkerDrops drops) implements FromWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.started(this);
        }
    }

    /**
     * The slice ran to its end. One part may still have failed alone (its {@link PartResult#failure()} says so) while
     * its neighbours have all their rows.
     *
     * @param parts one for each part of the dispatch, in its order
     */
    record Completed(int slot, long generation, long sliceId, List<PartResult> parts) implements FromWorker {
        /** Copies the parts. */
        public Completed {
            parts = List.copyOf(parts);
        }

        @Override
        public void deliverTo(Handler handler) {
            handler.completed(this);
        }
    }

    /**
     * The slice failed and no single row can be blamed. The worker itself is sound and takes further work; one that is
     * not ends instead.
     *
     * @param finished rows that were done before it failed; may be empty
     */
    record Failed(int slot, long generation, long sliceId, RunFailure failure, String detail, List<PartResult> finished)
            implements FromWorker {
        /** Copies the parts. */
        public Failed {
            finished = List.copyOf(finished);
        }

        @Override
        public void deliverTo(Handler handler) {
            handler.failed(this);
        }
    }

    /** The slice was cancelled before it started, and never will start. */
    record Cancelled(int slot, long generation, long sliceId) implements FromWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.cancelled(this);
        }
    }

    /**
     * The slice was ended on request, and the thread has left the native call.
     *
     * @param finished rows that were done before; may be empty
     */
    record Terminated(int slot, long generation, long sliceId, List<PartResult> finished) implements FromWorker {
        /** Copies the parts. */
        public Terminated {
            finished = List.copyOf(finished);
        }

        @Override
        public void deliverTo(Handler handler) {
            handler.terminated(this);
        }
    }

    /**
     * The worker runs nothing any more and has closed its session, or tried to. That its thread is gone is seen elsewhere.
     *
     * @param drops what was dropped in its life
     */
    record Stopped(int slot, long generation, WorkerDrops drops) implements FromWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.stopped(this);
        }
    }
}
