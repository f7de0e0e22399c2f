package io.recallgate.gateway.conversation.evidence;

import java.io.IOException;
import java.nio.file.Path;

/** Remembers what the process did of late. Blocks on files; called by one thread at a time. */
public interface Recorder {

    /**
     * Begins to remember.
     *
     * @throws IOException when it cannot, with why in words
     */
    void start() throws IOException;

    /**
     * Writes what it remembers, with a mark for {@code overrun}, and goes on.
     *
     * @param file that there is not yet
     * @throws IOException when nothing was written, with why in words
     */
    void write(Path file, Overrun overrun) throws IOException;

    /** Forgets. Idempotent, also when it was never started. */
    void stop();
}
