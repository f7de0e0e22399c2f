package io.recallgate.embedding.model;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Deadline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The one door into native code, so that the process can end safely. ONNX Runtime frees its environment in a shutdown
 * hook of its own, also under a thread that is still inside a run or the creation of a session, and that crashes the
 * process. Hooks run side by side, so no hook of ours could come first: whoever ends the process must call {@link
 * #shutdown} before {@code System.exit}, and {@code Runtime.halt} instead if it reports a stuck thread.
 *
 * <p>There is one gate for a process, as there is one native environment. Thread-safe.
 */
public final class NativeGate {

    private static final NativeGate PROCESS = new NativeGate();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Thread, String> inside = new LinkedHashMap<>();
    private final Set<Resource> resources = new LinkedHashSet<>();
    private boolean closed;

    /** A gate of its own is for tests; native code goes through {@link #process()}. */
    NativeGate() {}

    /** The process's gate. */
    public static NativeGate process() {
        return PROCESS;
    }

    /** Something native that must not outlive the process's orderly end. */
    interface Resource {
        /** Makes a thread inside return soon, if anything can. Called on any thread. */
        void interruptRun();

        /** Frees it; nobody is inside and nobody comes any more. */
        void free();
    }

    /**
     * What an orderly end could confirm.
     *
     * @param freed sessions closed
     * @param stuck what each thread that did not return is doing; not empty means the process must be halted, not
     *     exited
     */
    public record Report(int freed, List<String> stuck) {
        /** Copies the list. */
        public Report {
            stuck = List.copyOf(stuck);
        }

        /** Whether {@code System.exit} is safe now. */
        public boolean isClean() {
            return stuck.isEmpty();
        }
    }

    /**
     * Enters native code on this thread.
     *
     * @param what for the report, such as {@code run}
     * @throws FailureException {@code shutting-down} once the gate is closed
     */
    void enter(String what) {
        lock.lock();
        try {
            if (closed) {
                throw new FailureException(FailureCode.SHUTTING_DOWN, "the process is ending");
            }
            inside.put(Thread.currentThread(), what);
        } finally {
            lock.unlock();
        }
    }

    /** Leaves native code on this thread. */
    void leave() {
        lock.lock();
        try {
            inside.remove(Thread.currentThread());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Registers what {@link #shutdown} has to end; called by a thread that is inside. */
    void register(Resource resource) {
        lock.lock();
        try {
            resources.add(resource);
        } finally {
            lock.unlock();
        }
        if (isClosed()) {
            // The shutdown has already asked everybody; this one came through the door just before it closed.
            resource.interruptRun();
        }
    }

    /**
     * Takes a resource back so that its owner can free it, and enters with this thread; {@link #leave} ends it.
     *
     * @return false if the shutdown frees it, or has, or the owner did before: nothing is entered then
     */
    boolean enterToFree(Resource resource) {
        lock.lock();
        try {
            if (closed || !resources.remove(resource)) {
                return false;
            }
            inside.put(Thread.currentThread(), "closing a session");
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the process is ending. */
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the gate for good, terminates what runs, waits for threads to come out and frees every session. Blocks up
     * to the deadline; may be called on any thread that is not inside, also when event loops no longer turn.
     * Idempotent: a later call waits and reports again.
     */
    public Report shutdown(Deadline deadline) {
        List<Resource> running;
        lock.lock();
        try {
            closed = true;
            running = new ArrayList<>(resources);
        } finally {
            lock.unlock();
        }
        running.forEach(Resource::interruptRun);
        lock.lock();
        try {
            awaitEmpty(deadline);
            if (!inside.isEmpty()) {
                List<String> stuck = new ArrayList<>();
                inside.forEach((thread, what) -> stuck.add(thread.getName() + " in " + what));
                return new Report(0, stuck);
            }
            // Under the lock: a second caller must find them freed, not free them again.
            int freed = resources.size();
            resources.forEach(Resource::free);
            resources.clear();
            return new Report(freed, List.of());
        } finally {
            lock.unlock();
        }
    }

    private void awaitEmpty(Deadline deadline) {
        long left = deadline.remainingNanos();
        while (!inside.isEmpty() && left > 0) {
            try {
                // Bounded steps: the deadline may run on a clock that this wait does not.
                changed.awaitNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(50)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            left = deadline.remainingNanos();
        }
    }
}
