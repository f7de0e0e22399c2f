package io.recallgate.embedding.worker;

import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.model.TextModel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

/**
 * What worker, control and pool know of one worker in common. Each field is written by one of them; any thread may
 * read.
 */
public final class WorkerHandle {

    private final WorkerAddress address;
    private final SliceLedger ledger = new SliceLedger();
    private final Promise<Void> exited = Promise.promise();
    private volatile @Nullable Thread thread;
    private volatile @Nullable TextModel model;
    private volatile @Nullable ModelProfile profile;

    /** @param address of the worker */
    public WorkerHandle(WorkerAddress address) {
        this.address = address;
    }

    /** Its names. */
    public WorkerAddress address() {
        return address;
    }

    /**
     * Completes when the worker's thread has let go of everything: it left native code for good, or never entered it.
     * Completed on the worker's thread.
     */
    public Future<Void> exited() {
        return exited.future();
    }

    /** What loading showed, null before. */
    public @Nullable ModelProfile profile() {
        return profile;
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

    /** The worker's thread holds nothing any more; repeated calls do nothing. */
    void gone() {
        model = null;
        exited.tryComplete();
    }
}
