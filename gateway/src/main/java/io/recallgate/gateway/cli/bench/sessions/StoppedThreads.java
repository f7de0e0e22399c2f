package io.recallgate.gateway.cli.bench.sessions;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.ObjectCollectedException;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Stops the threads of another JVM whose names begin in one way, as a debugger does, and those that are made in their place:
 * what happens when native code or the system does not let a thread go on. Needs a JVM that was started with {@link #flag}, and
 * a JDK here.
 */
final class StoppedThreads implements AutoCloseable {

    private static final long EVERY_MILLIS = 10;
    private static final long END_SECONDS = 5;
    private static final String CONNECTOR = "com.sun.jdi.SocketAttach";

    private final VirtualMachine machine;
    private final String prefix;
    private final Pauses pauses;
    private final Thread thread = new Thread(this::stopAll, "recallgate-bench-stop");
    /** On its thread. */
    private final Set<ThreadReference> stopped = new HashSet<>();

    private StoppedThreads(VirtualMachine machine, String prefix, Pauses pauses) {
        this.machine = machine;
        this.prefix = prefix;
        this.pauses = pauses;
        thread.setDaemon(true);
        thread.start();
    }

    /** What a JVM has to be started with to be reached on this port. */
    static String flag(int port) {
        return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:" + port;
    }

    /** Whether this Java can. */
    static boolean isPossible() {
        return ModuleLayer.boot().findModule("jdk.jdi").isPresent();
    }

    /** From now on. */
    static StoppedThreads begin(int port, String prefix, Pauses pauses) {
        try {
            AttachingConnector connector = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                    .filter(one -> one.name().equals(CONNECTOR))
                    .findFirst()
                    .orElseThrow(() -> new CommandFailedException("this Java cannot stop threads of another one"));
            Map<String, Connector.Argument> arguments = connector.defaultArguments();
            Objects.requireNonNull(arguments.get("hostname")).setValue("127.0.0.1");
            Objects.requireNonNull(arguments.get("port")).setValue(Integer.toString(port));
            return new StoppedThreads(connector.attach(arguments), prefix, pauses);
        } catch (IOException | IllegalConnectorArgumentsException e) {
            throw new CommandFailedException("the gateway's threads cannot be stopped: " + e, e);
        }
    }

    private void stopAll() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                List<ThreadReference> threads = new ArrayList<>(machine.allThreads());
                threads.removeAll(stopped);
                threads.forEach(this::stop);
                pauses.pauseMillis(EVERY_MILLIS);
            }
        } catch (VMDisconnectedException e) {
            // It is gone, and its threads with it.
        }
    }

    private void stop(ThreadReference one) {
        try {
            if (!one.name().startsWith(prefix)) {
                return;
            }
            one.suspend();
            if (holdsNothing(one)) {
                stopped.add(one);
            } else {
                // A lock would stop others, too. The next look may find it elsewhere.
                one.resume();
            }
        } catch (ObjectCollectedException | IncompatibleThreadStateException e) {
            // It has ended.
        }
    }

    private static boolean holdsNothing(ThreadReference one) throws IncompatibleThreadStateException {
        return one.ownedMonitors().isEmpty() && one.currentContendedMonitor() == null;
    }

    /** Lets them go on. */
    @Override
    public void close() {
        thread.interrupt();
        boolean interrupted = Thread.interrupted();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
            machine.dispose();
        } catch (VMDisconnectedException e) {
            // It is gone.
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
