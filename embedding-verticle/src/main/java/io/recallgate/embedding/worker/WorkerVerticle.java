package io.recallgate.embedding.worker;

import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.model.TextModelFactory;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.RunFailure;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.protocol.WorkerExit;
import io.recallgate.embedding.wire.WorkerCodec;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns a model on a thread of its own, runs one slice at a time and says what becomes of each. Deployed as a worker
 * with a pool of one thread; loading, running and closing all happen on that thread. Loading blocks {@code start},
 * which is why nobody may wait for the deployment without a bound.
 */
public final class WorkerVerticle extends VerticleBase {

    private static final Logger log = LoggerFactory.getLogger(WorkerVerticle.class);

    private final WorkerHandle handle;
    private final TextModelFactory factory;
    private final String modelName;
    private final Clock clock;
    private @Nullable TextModel model;
    /** What the pool was told to charge this worker with. */
    private long toldBytes;

    private @Nullable MessageConsumer<ToWorker> consumer;

    /**
     * @param handle shared with the control
     * @param factory loads the model
     * @param modelName what to load
     * @param clock measures spans
     */
    public WorkerVerticle(WorkerHandle handle, TextModelFactory factory, String modelName, Clock clock) {
        this.handle = handle;
        this.factory = factory;
        this.modelName = modelName;
        this.clock = clock;
    }

    @Override
    public Future<?> start() {
        handle.began(Thread.currentThread());
        WorkerAddress address = handle.address();
        long before = clock.nanoTime();
        TextModel loaded;
        try {
            loaded = factory.open(modelName);
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            return startFailed(e);
        }
        model = loaded;
        handle.loaded(loaded);
        MessageConsumer<ToWorker> registered = vertx.eventBus()
                .localConsumer(address.work(), message -> message.body().deliverTo(new Work()));
        consumer = registered;
        ModelProfile profile = loaded.profile();
        toldBytes = profile.residentBytes();
        long loadNanos = clock.nanoTime() - before;
        Future<Void> heard = vertx.eventBus()
                .<FromWorker>localConsumer(address.ends(), message -> handle.hear(message.body()))
                .completion();
        return registered
                .completion()
                .compose(done -> heard)
                .onSuccess(done -> handle.isReady(new FromWorker.Ready(
                        address.slot(),
                        address.generation(),
                        profile.identity(),
                        profile.batchInvariant(),
                        profile.batchCosine(),
                        profile.residentBytes(),
                        loadNanos)));
    }

    private Future<?> startFailed(Throwable error) {
        WorkerAddress address = handle.address();
        boolean terminal = error instanceof FailureException failure && failure.code() == FailureCode.MODEL_UNUSABLE;
        String detail = error instanceof FailureException failure
                ? failure.detail()
                : "loading failed: " + error.getClass().getSimpleName();
        log.warn("worker {} generation {} did not start: {}", address.slot(), address.generation(), detail, error);
        tell(new FromWorker.StartFailed(
                address.slot(),
                address.generation(),
                terminal ? StartFailure.TERMINAL : StartFailure.RETRYABLE,
                detail));
        exit();
        return Future.failedFuture(error);
    }

    /** Takes nothing more, and closes after the pool has heard what this thread last said, which is on its way to here. */
    @Override
    public Future<?> stop() {
        handle.ledger().close();
        MessageConsumer<ToWorker> registered = consumer;
        if (registered != null) {
            registered.unregister();
        }
        Promise<Void> stopped = Promise.promise();
        context.runOnContext(ignored -> {
            try {
                close();
                stopped.complete();
            } catch (RuntimeException e) {
                stopped.fail(e);
            }
        });
        return stopped.future();
    }

    /** Runs on the worker's thread, so no run is going on: closing here is safe. */
    private void close() {
        TextModel loaded = model;
        try {
            if (loaded != null) {
                loaded.close();
            }
        } finally {
            // Also where closing fails: nobody else knows what was dropped since the last slice began.
            tell(new FromWorker.Stopped(
                    handle.address().slot(),
                    handle.address().generation(),
                    handle.ledger().drops()));
            exit();
        }
    }

    private void exit() {
        handle.gone();
        WorkerAddress address = handle.address();
        send(new WorkerExit(address.slot(), address.generation()));
    }

    private void tell(FromWorker message) {
        handle.spoke();
        send(message);
    }

    private void send(Object message) {
        send(handle.dispatcher(), message);
    }

    private void send(String address, Object message) {
        vertx.eventBus().send(address, message, WorkerCodec.options());
    }

    private FromWorker runSlice(ToWorker.Dispatch dispatch, TextModel loaded) {
        SliceLedger ledger = handle.ledger();
        try {
            return new SliceRunner(
                            loaded, clock, new SliceRunner.Orders(ledger::isTerminating, ledger::isPausing), dispatch)
                    .run();
        } catch (RuntimeException | Error e) {
            // A thrown error must not leave the slice without an end: the slot would wait for its watchdog.
            log.error("slice {} on worker {} failed", dispatch.sliceId(), dispatch.slot(), e);
            boolean memory = e instanceof OutOfMemoryError;
            return new FromWorker.Failed(
                    dispatch.slot(),
                    dispatch.generation(),
                    dispatch.sliceId(),
                    memory ? RunFailure.OUT_OF_MEMORY : RunFailure.INTERNAL,
                    e.getClass().getSimpleName(),
                    List.of());
        } finally {
            ledger.finish(dispatch.sliceId());
        }
    }

    private final class Work implements ToWorker.Handler {

        @Override
        public void dispatch(ToWorker.Dispatch message) {
            WorkerAddress address = handle.address();
            TextModel loaded = model;
            boolean ours = message.slot() == address.slot() && message.generation() == address.generation();
            SliceLedger ledger = handle.ledger();
            if (!ours) {
                ledger.misdirected();
                return;
            }
            // Messages that queued up behind a long run are read after it, when they may have been withdrawn.
            if (loaded == null || !ledger.start(message.sliceId())) {
                return;
            }
            tell(new FromWorker.Started(message.slot(), message.generation(), message.sliceId(), ledger.drops()));
            FromWorker end = runSlice(message, loaded);
            tellGrowth(loaded);
            send(handle.address().ends(), end);
        }

        private void tellGrowth(TextModel loaded) {
            long held = loaded.heldBytes();
            if (held > toldBytes) {
                toldBytes = held;
                WorkerAddress address = handle.address();
                send(address.ends(), new FromWorker.Grew(address.slot(), address.generation(), held));
            }
        }

        @Override
        public void cancelDispatch(ToWorker.CancelDispatch message) {
            throw misaddressed();
        }

        @Override
        public void terminate(ToWorker.Terminate message) {
            throw misaddressed();
        }

        @Override
        public void pause(ToWorker.Pause message) {
            throw misaddressed();
        }

        @Override
        public void shutdown(ToWorker.Shutdown message) {
            throw misaddressed();
        }

        private IllegalStateException misaddressed() {
            return new IllegalStateException("commands go to the control, which a running slice does not hold up");
        }
    }
}
