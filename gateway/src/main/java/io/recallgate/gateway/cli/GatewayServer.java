package io.recallgate.gateway.cli;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Starts a gateway in this process: what {@code serve} and {@code demo} need of the launcher. */
public interface GatewayServer {

    /**
     * Runs until it is told to stop, by a signal or by {@link #stop()}. Blocks the calling thread. What goes wrong it
     * has said in one line on the error stream.
     *
     * @param environment settings, as {@code System.getenv()}
     * @param file the configuration file, empty for none
     * @param onListening gets the URL under which this machine reaches it, once it listens; on any thread
     * @return the exit status
     */
    int run(Map<String, String> environment, Optional<Path> file, Consumer<String> onListening);

    /** Asks it to stop as a signal would. May be called on any thread, at any time. */
    void stop();
}
