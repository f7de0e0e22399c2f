package io.recallgate.embedding.protocol;

import java.util.List;

/**
 * Dispatcher to worker. {@link Dispatch} is consumed by the worker itself; the others are consumed beside it, on an
 * event loop, since a worker inside a native call reads nothing.
 */
public sealed interface ToWorker {

    /** The slot, from zero. */
    int slot();

    /** The generation of that slot the message is meant for; a worker of another generation drops it. */
    long generation();

    /** Calls the method of {@code handler} that belongs to this message. */
    void deliverTo(Handler handler);

    /** One method for each message, so that a new message cannot be forgotten. */
    interface Handler {
        /** Work to run. */
        void dispatch(Dispatch message);

        /** Work not to start. */
        void cancelDispatch(CancelDispatch message);

        /** Work to end natively. */
        void terminate(Terminate message);

        /** Work to leave off between two rows. */
        void pause(Pause message);

        /** The end of the worker. */
        void shutdown(Shutdown message);
    }

    /**
     * Run this slice. The worker first checks that the slice was not cancelled in between, then answers {@link
     * FromWorker.Started}, then exactly one of {@link FromWorker.Completed}, {@link FromWorker.Failed} and {@link
     * FromWorker.Terminated}. A worker of a model that is not batch-invariant runs the rows one by one and checks
     * between them whether it was told to end.
     *
     * @param slot from zero
     * @param generation of the slot
     * @param sliceId names this assignment in every answer
     * @param parts at least one; in the order in which the rows are to run
     * @param tokenCap the most padded tokens (rows times longest row) of one native run; a worker splits what is larger
     */
    record Dispatch(int slot, long generation, long sliceId, List<SlicePart> parts, int tokenCap) implements ToWorker {
        /** Copies the parts. */
        public Dispatch {
            parts = List.copyOf(parts);
            if (parts.isEmpty()) {
                throw new IllegalArgumentException("a slice without rows");
            }
        }

        /** Rows of all parts. */
        public int rows() {
            return parts.stream().mapToInt(part -> part.rows().size()).sum();
        }

        @Override
        public void deliverTo(Handler handler) {
            handler.dispatch(this);
        }
    }

    /**
     * Do not start this slice. Answered {@link FromWorker.Cancelled} at once, by the control beside the worker, if the
     * worker had not started it: from then on it never will. Not answered if it was too late; {@link
     * FromWorker.Started} tells that.
     */
    record CancelDispatch(int slot, long generation, long sliceId) implements ToWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.cancelDispatch(this);
        }
    }

    /**
     * End the native run of this slice. Answered by the worker itself, once it has left the native call, with {@link
     * FromWorker.Terminated} (or with {@code Completed} or {@code Failed} if those came first). For a slice that was
     * not started it means the same as {@link CancelDispatch}. For any other slice it does nothing.
     */
    record Terminate(int slot, long generation, long sliceId) implements ToWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.terminate(this);
        }
    }

    /**
     * Leave off this slice before its next row, so that somebody else may have the worker; what runs, runs on. At least
     * one row of it is run. Answered by the end of the slice, which then is {@link FromWorker.Completed} with the rows
     * that were done. For a slice that does not run, or whose rows share a run, it does nothing.
     */
    record Pause(int slot, long generation, long sliceId) implements ToWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.pause(this);
        }
    }

    /** Accept no further slice: the worker is about to be retired. What runs, runs on. */
    record Shutdown(int slot, long generation) implements ToWorker {
        @Override
        public void deliverTo(Handler handler) {
            handler.shutdown(this);
        }
    }
}
