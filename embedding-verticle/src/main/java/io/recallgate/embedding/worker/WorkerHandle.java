package io.recallgate.embedding.worker;

import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.protocol.FromWorker;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What worker, control and pool know of one worker in common. Each field is written by one of them; any thread may
 * read.
 */
public final class WorkerHandle {

    private final WorkerAddress address;
    private final String dispatcher;
    private final Consumer<FromWorker> pool;
    private final SliceLedger ledger = new SliceLedger();
    private volatile @Nullable Thread thread;
    private volatile @Nullable TextModel model;
    private volatile @Nullable ModelProfile profile;
    private volatile FromWorker.@Nullable Ready ready;
    private volatile boolean spoken;

    /**
     * @param address of the worker
     * @param pool hears how slices end, on the worker's thread; must not block
     */
    public WorkerHandle(WorkerAddress address, Consumer<FromWorker> pool) {
        this.address = address;
        this.pool = pool;
        this.dispatcher = WorkerAddress.dispatcher(address.pool());
    }

    /** Its names. */
    public WorkerAddress address() {
        return address;
    }

    /** Where the pool reads what this worker says. */
    String dispatcher() {
        return dispatcher;
    }

    /** The pool's ear on the worker's thread. */
    void hear(FromWorker message) {
        pool.accept(message);
    }

    /** Whether the worker got as far as saying that it is ready or cannot start. */
    public boolean hasSpoken() {
        return spoken;
    }

    /** What loading showed, null before. */
    public @Nullable ModelProfile profile() {
        return profile;
    }

    /**
     * What is to be told once the worker is deployed, null for one that is not loaded. Not told before: a Vert.x that
     * closes in between forgets to stop the worker, and nobody would learn that it is gone.
     */
    public FromWorker.@Nullable Ready ready() {
        return ready;
    }

    /**
     * Frees the model of a worker that has loaded it and was never deployed, as when Vert.x closes in between: its
     * thread has left and takes no work, and nobody will stop it.
     */
    public void discard() {
        TextModel loaded = model;
        if (loaded != null) {
            loaded.close();
            gone();
        }
    }

    /** Where the worker's thread is now, for a log about one that does not return; empty before it started. */
    public String whereabouts() {
        Thread current = thread;
        if (current == null) {
            return "";
        }
        StackTraceElement[] stack = current.getStackTrace();
        return current.getName() + " " + current.getState() + (stack.length == 0 ? "" : " at " + stack[0]);
    }

    SliceLedger ledger() {
        return ledger;
    }

    void began(Thread current) {
        thread = current;
    }

    void loaded(TextModel loaded) {
        profile = loaded.profile();
        model = loaded;
    }

    /** Ends the native run of this slice. */
    void endRun(long slice) {
        TextModel current = model;
        if (current != null) {
            current.terminate(slice);
        }
    }

    void isReady(FromWorker.Ready message) {
        ready = message;
    }

    void spoke() {
        spoken = true;
    }

    /** The worker's thread holds nothing any more; there is no run left to end. */
    void gone() {
        model = null;
    }
}
