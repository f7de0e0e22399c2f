package io.recallgate.gateway.cli.conversation;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads memories one after another, so that a file of any size takes little memory. Used by one thread. */
public interface ConversationSource extends Closeable {

    /**
     * The next item, null at the end.
     *
     * @throws IOException if reading fails
     */
    @Nullable
    SourceItem next() throws IOException;

    /** Bytes read so far, for progress. */
    long positionBytes();

    /** Bytes in all, -1 when unknown. */
    long sizeBytes();
}
