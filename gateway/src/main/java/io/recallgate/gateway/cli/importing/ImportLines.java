package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.conversation.SourceItem;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an import sends, line by line: each line of the source is one of the body, so that both count alike. Used by one
 * thread.
 */
interface ImportLines extends Closeable {

    /**
     * The next line, null at the end.
     *
     * @throws IOException if reading fails
     */
    byte @Nullable [] next() throws IOException;

    /**
     * Whether the next line is not there yet: then what there is should be sent.
     *
     * @throws IOException if it cannot be asked
     */
    boolean mayBlock() throws IOException;

    /** How far it is, in the unit of {@link #size}. */
    long position();

    /** All of it, -1 when unknown. */
    long size();

    /** What the person who wrote the source calls the line that was sent as number {@code line}. */
    String place(long line);

    /** What could not be sent, so far. */
    List<SourceItem.Damaged> damaged();
}
