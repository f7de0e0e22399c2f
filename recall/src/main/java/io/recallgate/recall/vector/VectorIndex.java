package io.recallgate.recall.vector;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.Scope;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Nearest memories by inner product. Two implementations behind one conformance suite: a derived pgvector table where
 * the server has the extension, a scan over a bounded in-process cache where it has not. The table {@code
 * memory_vector} is written by the job runner and is the truth for both.
 */
public interface VectorIndex {

    /**
     * The nearest memories, best first, ties by id; a memory with several passages appears once, with its best.
     *
     * @param cancel fires when nobody waits for the answer any more; the search then ends early
     * @return fails with a {@link io.recallgate.failure.FailureException}, {@code invalid-field} about {@code vector}
     *     when the stored vectors have another number of dimensions; recall labels it and goes on without
     */
    Future<List<VectorHit>> search(VectorQuery query, Deadline deadline, CancelSignal cancel);

    /** The same for a caller who never gives up. */
    default Future<List<VectorHit>> search(VectorQuery query, Deadline deadline) {
        return search(query, deadline, new CancelSignal());
    }

    /**
     * How near certain memories are, whether or not they are among the nearest; a memory with several passages by its
     * best. Those without a vector, or of another scope, are left out. Asked after a search for the same query, and as
     * fresh as that was.
     *
     * @param query its limit, session and kinds do not matter
     * @param memoryIds a few hundred at most
     * @param cancel fires when nobody waits for the answer any more; the reading then ends early
     * @return fails as {@link #search} does
     */
    Future<Map<UUID, Double>> similarities(
            VectorQuery query, Collection<UUID> memoryIds, Deadline deadline, CancelSignal cancel);

    /**
     * Called inside the transaction that writes {@code vectors} to {@code memory_vector}, after it replaced all vectors
     * of these memories and fingerprint.
     */
    Future<Void> replace(SqlConnection transaction, List<StoredVector> vectors);

    /** Called inside the transaction that removes all vectors of these memories. */
    Future<Void> remove(SqlConnection transaction, Scope scope, List<UUID> memoryIds);

    /** Called after the commit of a transaction that replaced or removed vectors in this scope. */
    void committed(Scope scope);

    /** Releases what it holds; idempotent. */
    Future<Void> close();

    /**
     * What to search.
     *
     * @param scope whose
     * @param fingerprint only vectors of this model
     * @param vector the query's
     * @param limit 1 to 100
     * @param session only this session, null for all
     * @param kinds only these, empty for all
     * @param includeSuperseded whether also memories that others supersede
     */
    record VectorQuery(
            Scope scope,
            String fingerprint,
            EmbeddingVector vector,
            int limit,
            @Nullable String session,
            Set<MemoryKind> kinds,
            boolean includeSuperseded) {

        /** One without what is superseded. */
        public VectorQuery(
                Scope scope,
                String fingerprint,
                EmbeddingVector vector,
                int limit,
                @Nullable String session,
                Set<MemoryKind> kinds) {
            this(scope, fingerprint, vector, limit, session, kinds, false);
        }
    }

    /**
     * One neighbour.
     *
     * @param memoryId the memory
     * @param similarity inner product, which is the cosine
     */
    record VectorHit(UUID memoryId, double similarity) {}
}
