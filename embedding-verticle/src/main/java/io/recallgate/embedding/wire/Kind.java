package io.recallgate.embedding.wire;

import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.protocol.WorkerExit;

/** The messages and their numbers, which are added to, never changed or reused. */
enum Kind {
    DISPATCH(1, ToWorker.Dispatch.class),
    CANCEL_DISPATCH(2, ToWorker.CancelDispatch.class),
    TERMINATE(3, ToWorker.Terminate.class),
    SHUTDOWN(4, ToWorker.Shutdown.class),
    PAUSE(5, ToWorker.Pause.class),
    READY(16, FromWorker.Ready.class),
    START_FAILED(17, FromWorker.StartFailed.class),
    STARTED(18, FromWorker.Started.class),
    COMPLETED(19, FromWorker.Completed.class),
    FAILED(20, FromWorker.Failed.class),
    CANCELLED(21, FromWorker.Cancelled.class),
    TERMINATED(22, FromWorker.Terminated.class),
    STOPPED(23, FromWorker.Stopped.class),
    GREW(24, FromWorker.Grew.class),
    EXIT(32, WorkerExit.class);

    private final int number;
    private final Class<?> message;

    Kind(int number, Class<?> message) {
        this.number = number;
        this.message = message;
    }

    int number() {
        return number;
    }

    static Kind of(Object message) {
        for (Kind kind : values()) {
            if (kind.message == message.getClass()) {
                return kind;
            }
        }
        throw new IllegalArgumentException("no message of the worker protocol: " + message.getClass());
    }
}
