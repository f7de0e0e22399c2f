package io.recallgate.time;

import io.recallgate.caller.Caller;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One caller's wish to stop, with its cause. Fires at most once: the first cause wins, later ones do nothing.
 * Thread-safe; listeners run on the thread that cancels, or at once on the registering thread when the signal has
 * already fired, so there is no gap between checking and registering in which an abort could be lost (CONTRACTS A10).
 */
public final class CancelSignal {

    private final Object lock = new Object();
    private List<Consumer<CancelCause>> listeners = new ArrayList<>();
    private @Nullable CancelCause cause;

    /**
     * Fires the signal.
     *
     * @return false if it had fired before
     */
    public boolean cancel(CancelCause why) {
        List<Consumer<CancelCause>> toRun;
        synchronized (lock) {
            if (cause != null) {
                return false;
            }
            cause = why;
            toRun = listeners;
            listeners = List.of();
        }
        toRun.forEach(listener -> tell(listener, why));
        return true;
    }

    /** One that fails takes the news neither from the others nor from whoever cancels, who may have capacity to give back. */
    private static void tell(Consumer<CancelCause> listener, CancelCause why) {
        try {
            listener.accept(why);
        } catch (RuntimeException | Error e) {
            Caller.tell("a listener to a cancellation failed", e);
        }
    }

    /** The cause once fired, null before. */
    public @Nullable CancelCause cause() {
        synchronized (lock) {
            return cause;
        }
    }

    /** Whether the signal has fired. */
    public boolean isCancelled() {
        return cause() != null;
    }

    /**
     * Runs {@code listener} when the signal fires, at once if it already has.
     *
     * @return removes the listener; whoever settles first calls it so that a long-lived signal holds nothing
     */
    public Registration onCancel(Consumer<CancelCause> listener) {
        CancelCause fired;
        synchronized (lock) {
            fired = cause;
            if (fired == null) {
                listeners.add(listener);
                return () -> {
                    synchronized (lock) {
                        // After firing the list is an immutable empty one, and there is nothing left to remove.
                        if (cause == null) {
                            listeners.remove(listener);
                        }
                    }
                };
            }
        }
        tell(listener, fired);
        return () -> {};
    }

    /** A registered listener. */
    @FunctionalInterface
    public interface Registration {
        /** Removes the listener; harmless when repeated. */
        void remove();
    }
}
