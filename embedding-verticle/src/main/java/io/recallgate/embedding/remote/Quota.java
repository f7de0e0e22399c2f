package io.recallgate.embedding.remote;

import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.time.Duration;
import java.util.Optional;

/**
 * Requests of callers that wait and run, in number and bytes. Documents may not use all of it, so that a query finds
 * room. Plain and confined to its owner's context.
 */
final class Quota {

    private final RemoteOptions.Bounds bounds;
    private int operations;
    private long bytes;
    private int documentOperations;
    private long documentBytes;

    Quota(RemoteOptions.Bounds bounds) {
        this.bounds = bounds;
    }

    /** Lets one in; otherwise says why not, and nothing is taken. */
    Optional<FailureException> enter(Priority priority, long size) {
        boolean document = priority == Priority.DOCUMENT;
        if (size > (document ? bounds.documentBytes() : bounds.bytes())) {
            return Optional.of(new FailureException(
                    FailureCode.WORK_TOO_LARGE,
                    "the inputs are larger than all that may wait; send them in several requests"));
        }
        boolean full = operations >= bounds.operations() || bytes + size > bounds.bytes();
        boolean fullOfDocuments =
                documentOperations >= bounds.documentOperations() || documentBytes + size > bounds.documentBytes();
        if (full || (document && fullOfDocuments)) {
            return Optional.of(
                    new FailureException(FailureCode.OVERLOADED, "too many requests wait for the embedding provider")
                            .retryAfter(Duration.ofSeconds(1)));
        }
        count(priority, 1, size);
        return Optional.empty();
    }

    /** One that was let in is over. */
    void leave(Priority priority, long size) {
        count(priority, -1, -size);
    }

    private void count(Priority priority, int one, long size) {
        operations += one;
        bytes += size;
        if (priority == Priority.DOCUMENT) {
            documentOperations += one;
            documentBytes += size;
        }
    }

    int operations() {
        return operations;
    }

    long bytes() {
        return bytes;
    }
}
