package io.recallgate.recall.jobs;

import io.recallgate.recall.api.Scope;
import io.vertx.core.buffer.Buffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job that this runner holds.
 *
 * @param id of the job
 * @param memoryId whose embedding it is
 * @param scope of the memory
 * @param contentHash of the content below
 * @param attempt the fence
 * @param failures that counted against it before this attempt
 * @param author of the memory
 * @param content of the memory, whole
 */
record ClaimedJob(
        long id,
        UUID memoryId,
        Scope scope,
        Buffer contentHash,
        int attempt,
        int failures,
        @Nullable String author,
        String content) {

    /** What goes in front of each passage: the name of who said it helps questions that name them. */
    String opening() {
        return author == null ? "" : author + ": ";
    }
}
