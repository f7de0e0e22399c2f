package io.recallgate.embedding.model;

import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession.RunOptions;
import org.jspecify.annotations.Nullable;

/**
 * The run that can be terminated now. Setting the flag on closed options throws, and a flag meant for one run must not
 * hit the next: so the id is compared, the flag set and the options withdrawn under one lock, before they are closed.
 */
final class RunGuard {

    private final Object lock = new Object();
    private @Nullable RunOptions options;
    private long runId;
    private long doomedId;
    private boolean terminated;

    /**
     * Publishes a run.
     *
     * @return false if it was terminated before it began, so it must not run
     */
    boolean begin(long id, RunOptions fresh) {
        synchronized (lock) {
            terminated = false;
            if (id == doomedId) {
                return false;
            }
            options = fresh;
            runId = id;
            return true;
        }
    }

    /** Withdraws the run; its options may be closed afterwards. */
    void end() {
        synchronized (lock) {
            options = null;
        }
    }

    /** Whether the last run was terminated: the native error alone does not tell. */
    boolean wasTerminated() {
        synchronized (lock) {
            return terminated;
        }
    }

    /** Terminates the run with this id now, or when it begins. */
    void terminate(long id) {
        synchronized (lock) {
            doomedId = id;
            if (runId == id) {
                terminateCurrent();
            }
        }
    }

    /** Terminates the current run, whichever it is. */
    void terminateCurrent() {
        synchronized (lock) {
            RunOptions current = options;
            if (current == null) {
                return;
            }
            try {
                current.setTerminate(true);
            } catch (OrtException e) {
                throw new IllegalStateException("run options that are published are open", e);
            }
            terminated = true;
        }
    }
}
