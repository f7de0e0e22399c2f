package io.recallgate.recall.api;

import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;

/**
 * Writes and reads memories. May be called on any thread. Every future fails with a {@link
 * io.recallgate.failure.FailureException}: {@code database-unavailable}, {@code deadline-exceeded}, {@code
 * shutting-down}, and what a method names.
 */
public interface MemoryService {

    /** The most drafts of one write. */
    int MAX_DRAFTS = 1_000;

    /**
     * Stores all drafts and their embedding jobs in one transaction, or none. When this succeeds they survive a crash.
     * The same external id with the same draft changes nothing; with another draft it updates, and changed content is
     * embedded anew.
     *
     * @param drafts 1 to {@link #MAX_DRAFTS}
     * @return one entry for each draft, in order; fails with {@code invalid-field} when two drafts share an external id, or
     *     when one supersedes what is not there or, directly or over others, itself
     */
    Future<List<StoredMemory>> remember(Scope scope, List<MemoryDraft> drafts, Deadline deadline);

    /**
     * As {@link #remember}, for memories that may come from an export. One without an external id is recognised by the
     * id it was exported with: in its own project it is that memory, and keeps an external id it has got since; in
     * another project it gets an id that follows from the given one and the scope, so that the same export is stored
     * once however often it is restored. A given id is never used as it is: nobody can take, or learn of, the id of
     * another owner's memory.
     *
     * @param memories 1 to {@link #MAX_DRAFTS}
     * <p>What one of them supersedes may come later: the name waits for its memory.
     *
     * @return one entry for each, in order; fails with {@code invalid-field} when two share an external id, or an id
     *     where they have none, or when one supersedes itself, directly or over others
     */
    Future<List<StoredMemory>> restore(Scope scope, List<ExportedMemory> memories, Deadline deadline);

    /**
     * A part of an export. Each part shows the database as it is when it is read: every memory that was acknowledged
     * before the first part and not removed since is in the export, once; one that changes meanwhile is there as it was
     * before or after.
     */
    Future<ExportPage> export(Scope scope, ExportQuery query, Deadline deadline);

    /** One memory; fails with {@code not-found}, the same for an unknown id and for another owner's. */
    Future<Memory> get(Scope scope, UUID id, Deadline deadline);

    /** A page of memories; fails with {@code invalid-field} for a cursor that is not ours. */
    Future<MemoryPage> list(Scope scope, MemoryQuery query, Deadline deadline);

    /** Changes a memory and returns it as it is then; fails with {@code not-found}. */
    Future<Memory> patch(Scope scope, UUID id, MemoryPatch patch, Deadline deadline);

    /** Removes a memory, its vectors and its pending work; fails with {@code not-found}. */
    Future<Void> delete(Scope scope, UUID id, Deadline deadline);

    /** Removes every memory of a session and returns how many there were. */
    Future<Integer> deleteSession(Scope scope, String session, Deadline deadline);
}
