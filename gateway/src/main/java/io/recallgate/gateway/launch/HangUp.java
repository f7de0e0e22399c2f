package io.recallgate.gateway.launch;

import io.recallgate.embedding.ProcessSignals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes SIGHUP, which a closed terminal or a lost connection sends, an orderly stop. The virtual machine's own answer
 * is to exit at once: under a running model, and with PostgreSQL left behind. Where the signal was already ignored when
 * the process began, as {@code nohup} does, the virtual machine leaves it ignored, and the gateway lives on.
 */
final class HangUp {

    private static final Logger LOG = LoggerFactory.getLogger(HangUp.class);

    /** The conventional exit status: 128 plus the signal's number. */
    static final int STATUS = 129;

    private HangUp() {}

    /**
     * Installs the handler.
     *
     * @param stop called for each such signal, on a thread of its own
     */
    static void install(Runnable stop) {
        try {
            ProcessSignals.handle("HUP", number -> {
                // Before the log: a terminal that is gone may take no line any more.
                stop.run();
                LOG.info("SIGHUP: stopping");
            });
        } catch (ReflectiveOperationException | RuntimeException noSuchSignal) {
            LOG.debug("SIGHUP cannot be handled here", noSuchSignal);
        }
    }
}
