package io.recallgate.gateway.launch;

import io.recallgate.embedding.ProcessSignals;
import io.recallgate.gateway.cli.CliContext;
import io.recallgate.gateway.cli.RecallgateCommand;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;

/** The executable jar's main class. */
public final class Main {

    /** A terminated run returns within 130 ms; a thread that is still inside after this will not. */
    private static final long NATIVE_END_MILLIS = 2_000;

    private Main() {}

    /**
     * Runs one command and ends the process with its status.
     *
     * @param arguments the command line
     */
    public static void main(String... arguments) {
        LogSetup.applyDefaults();
        ProcessSignals.flushLogBy(LogSetup::flush);
        Screen screen = Screen.detect(System.out, System.err, System.getProperties(), System.getenv());
        // The log and the launcher write to the process's streams, which must keep clear of a progress line.
        System.setOut(screen.out());
        System.setErr(screen.err());
        CliContext context = new CliContext(screen, System.in, System.getenv(), SystemClock.INSTANCE, Pauses.real());
        int status = RecallgateCommand.run(context, new GatewayLauncher(), arguments);
        // Never a plain exit: ONNX Runtime's shutdown hook frees its environment, also under a running call.
        ProcessSignals.endProcess(status, Deadline.afterMillis(SystemClock.INSTANCE, NATIVE_END_MILLIS));
    }
}
