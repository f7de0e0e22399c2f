package io.recallgate.embedding;

import io.recallgate.embedding.model.NativeGate;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes SIGTERM and SIGINT over from the virtual machine, whose own handling runs all shutdown hooks side by side:
 * ONNX Runtime's hook then frees its environment under a running call, and the process crashes. To be installed before
 * the first model is opened, by whoever owns the process, never by an embedded library.
 *
 * <p>The handler is expected to stop the pool ({@link EmbeddingVerticle#shutdown}), close the native gate ({@link NativeGate#shutdown}) and then call {@code System.exit}, or {@code Runtime.halt} if
 * the gate reports a stuck thread. {@link #endProcess} does the last two.
 */
public final class ProcessSignals {

    private static final Logger log = LoggerFactory.getLogger(ProcessSignals.class);

    /** How long the end waits for a log: one that nobody reads any more takes a line never. */
    private static final long TELL_MILLIS = 2_000;

    /** Hooks of libraries free memory and delete files, within a second; one that waits for ever must not count. */
    private static final long HOOKS_MILLIS = 10_000;

    private static volatile Runnable logFlush = () -> {};

    private ProcessSignals() {}

    /**
     * Says how lines that were logged get out, for an owner whose log is written by a thread of its own. Every end of the
     * process that begins here runs it, on a thread of its own, and goes on after two seconds at the latest.
     *
     * @param flush returns once all is written; may block
     */
    public static void flushLogBy(Runnable flush) {
        logFlush = flush;
    }

    /**
     * Installs the handler for both signals. It is called once, for the first signal, on a thread of its own that may
     * block. A further signal halts the process at once, unless it comes within {@link StopWish#SAME_WISH}: wrappers
     * such as timeout signal a process and its group, so that one wish arrives twice.
     *
     * @param onFirst gets the conventional exit status: 128 plus the signal's number, so 143 or 130
     * @return false if this virtual machine offers no signal handling; ending may then crash, so say so
     */
    public static boolean install(IntConsumer onFirst) {
        StopWish wish = new StopWish(SystemClock.INSTANCE);
        try {
            for (String name : List.of("TERM", "INT")) {
                handle(name, number -> begin(name, wish, 128 + number, onFirst));
            }
            return true;
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.warn("signals cannot be handled here; ending the process while a model runs may crash it", e);
            return false;
        }
    }

    /**
     * Installs a handler for one signal, in place of what the virtual machine does at it.
     *
     * @param name without SIG, such as {@code TERM}
     * @param onSignal gets the signal's number each time, on a thread of its own that may block
     * @throws ReflectiveOperationException if this virtual machine offers no signal handling, or refuses this signal
     */
    public static void handle(String name, IntConsumer onSignal) throws ReflectiveOperationException {
        // By reflection: the class belongs to no standard module, and a compiler that refuses warnings refuses it.
        Class<?> signalType = Class.forName("sun.misc.Signal");
        Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
        Object signal = signalType.getConstructor(String.class).newInstance(name);
        int number = (Integer) signalType.getMethod("getNumber").invoke(signal);
        InvocationHandler dispatch = (proxy, method, arguments) -> switch (method.getName()) {
            case "handle" -> {
                onSignal.accept(number);
                yield null;
            }
            case "equals" -> proxy == (arguments == null ? null : arguments[0]);
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "handler of SIG" + name;
        };
        Object handler = Proxy.newProxyInstance(
                MethodHandles.lookup().lookupClass().getClassLoader(), new Class<?>[] {handlerType}, dispatch);
        signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
    }

    private static void begin(String name, StopWish wish, int status, IntConsumer onFirst) {
        switch (wish.signalled()) {
            case BEGIN -> {
                tell(() -> log.info("SIG{}: stopping", name));
                // The virtual machine calls handlers on a thread of its own for each signal, so blocking is allowed.
                onFirst.accept(status);
            }
            case SAME -> log.debug("SIG{} again: stopping already", name);
            case HALT -> {
                lastWords(() -> log.warn("second signal, SIG{}: halting", name));
                Runtime.getRuntime().halt(status);
            }
        }
    }

    /**
     * Says something without depending on it: where standard error is a full pipe whose reader stands still, the thread
     * that writes stands still with it, and a signal or an end must count all the same.
     *
     * @param line says it, on a thread of its own; where it has not returned after two seconds, it is left to itself
     */
    public static void tell(Runnable line) {
        Thread telling = new Thread(line, "recallgate-signal-log");
        telling.setDaemon(true);
        telling.start();
        // Whoever was interrupted has something to say all the same.
        boolean interrupted = Thread.interrupted();
        try {
            telling.join(TELL_MILLIS);
        } catch (InterruptedException again) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Says something, or nothing more, and has all that was said get out: the process ends next. */
    private static void lastWords(Runnable line) {
        tell(() -> {
            line.run();
            logFlush.run();
        });
    }

    /**
     * Halts the process after some time, whatever it is doing then: the last resort of an end that can get stuck. Where
     * the process ends before, nothing happens.
     *
     * @param status exit status
     * @param millis from now, by this machine's own time: no other can be trusted to go on
     */
    public static void haltAfter(int status, long millis) {
        Deadline deadline = Deadline.afterMillis(SystemClock.INSTANCE, millis);
        Thread last = new Thread(
                () -> {
                    while (!deadline.isPassed()) {
                        LockSupport.parkNanos(deadline.remainingNanos());
                    }
                    lastWords(() -> log.error("halting: the process did not end within {} ms", millis));
                    Runtime.getRuntime().halt(status);
                },
                "recallgate-last-resort");
        last.setDaemon(true);
        last.start();
    }

    /**
     * Ends the process: closes the native gate, then exits, or halts if a thread did not come out of native code by the
     * deadline. Does not return. Every orderly end goes through here once a model may have been opened, also one after
     * a failed start. Shutdown hooks that do not return, and sessions that cannot be freed, are left after ten seconds
     * more.
     *
     * @param status exit status
     * @param deadline for threads to come out; a time of its own, some two seconds, since a pool that ends slowly has
     *     used up all of its, and the creation of a session cannot be ended but only waited for
     */
    public static void endProcess(int status, Deadline deadline) {
        haltAfter(status, Math.max(0, deadline.remainingMillis()) + HOOKS_MILLIS);
        NativeGate.Report report = NativeGate.process().shutdown(deadline);
        if (report.isClean()) {
            lastWords(() -> {});
            System.exit(status);
        }
        lastWords(() -> log.error("halting, since native code did not return: {}", report.stuck()));
        Runtime.getRuntime().halt(status);
    }
}
