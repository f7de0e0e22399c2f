package io.recallgate.embedding.worker;

import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.wire.WorkerCodec;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/**
 * Reads cancel, terminate and shutdown for one worker on an event loop, so that they arrive while the worker's thread
 * is inside native code.
 */
public final class WorkerControl extends VerticleBase {

    private final WorkerHandle handle;

    /** @param handle shared with the worker */
    public WorkerControl(WorkerHandle handle) {
        this.handle = handle;
    }

    @Override
    public Future<?> start() {
        WorkerAddress address = handle.address();
        return vertx.eventBus()
                .<ToWorker>localConsumer(
                        address.control(), message -> message.body().deliverTo(new Commands()))
                .completion();
    }

    private void cancelled(long slice) {
        WorkerAddress address = handle.address();
        vertx.eventBus()
                .send(
                        handle.dispatcher(),
                        new FromWorker.Cancelled(address.slot(), address.generation(), slice),
                        WorkerCodec.options());
    }

    private boolean isForUs(ToWorker message) {
        boolean ours = message.slot() == handle.address().slot()
                && message.generation() == handle.address().generation();
        if (!ours) {
            handle.ledger().misdirected();
        }
        return ours;
    }

    private final class Commands implements ToWorker.Handler {

        @Override
        public void dispatch(ToWorker.Dispatch message) {
            throw new IllegalStateException("work goes to the worker, not to its control");
        }

        @Override
        public void cancelDispatch(ToWorker.CancelDispatch message) {
            if (isForUs(message) && handle.ledger().cancel(message.sliceId())) {
                cancelled(message.sliceId());
            }
        }

        @Override
        public void terminate(ToWorker.Terminate message) {
            if (isForUs(message) && handle.ledger().terminate(message.sliceId(), handle::endRun)) {
                cancelled(message.sliceId());
            }
        }

        @Override
        public void pause(ToWorker.Pause message) {
            if (isForUs(message)) {
                handle.ledger().pause(message.sliceId());
            }
        }

        @Override
        public void shutdown(ToWorker.Shutdown message) {
            if (isForUs(message)) {
                handle.ledger().close();
            }
        }
    }
}
