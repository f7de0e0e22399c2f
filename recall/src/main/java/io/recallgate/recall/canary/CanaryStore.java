package io.recallgate.recall.canary;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.lexical.LexicalAnalysis;
import io.recallgate.recall.lexical.LexicalDocument;
import io.recallgate.recall.vector.StoredVector;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes, reads and removes rows of probes. May be called on any thread. Every future fails with a {@link
 * io.recallgate.failure.FailureException}: {@code database-unavailable}, {@code deadline-exceeded} or {@code
 * shutting-down}.
 */
public final class CanaryStore {

    private static final String PUT = Statements.load("canary/put");
    private static final String GET = Statements.load("canary/get");
    private static final String REMOVE = Statements.load("canary/remove");

    /** Longer than any attempt may take. */
    private static final int LEFT_BEHIND_MINUTES = 120;

    private final Database database;
    private final LexicalAnalysis analysis;
    private final VectorIndex vectors;

    /** @param analysis as for the memories of people */
    public CanaryStore(Database database, LexicalAnalysis analysis, VectorIndex vectors) {
        this.database = database;
        this.analysis = analysis;
        this.vectors = vectors;
    }

    /** A vector and the model that made it. */
    public record Embedded(String fingerprint, EmbeddingVector vector) {}

    /** What is there of a row. */
    public enum Found {
        /** Nothing. */
        MISSING,
        /** The row with this content, and no vector of the model. */
        WITHOUT_VECTOR,
        /** Both. */
        WITH_VECTOR
    }

    /** Writes the row, and its vector if there is one, in one transaction. */
    public Future<Void> put(Canary canary, @Nullable Embedded embedded, Deadline deadline) {
        LexicalDocument words = analysis.document(new MemoryDraft(
                canary.content(), MemoryKind.NOTE, null, null, null, null, true, null, new JsonObject()));
        Scope scope = canary.scope();
        Tuple values = Tuple.tuple()
                .addValue(canary.id())
                .addValue(scope.owner())
                .addValue(scope.project())
                .addValue(canary.content())
                .addValue(canary.contentHash())
                .addValue(words.tsvector())
                .addValue(words.length())
                .addValue(words.truncated())
                .addValue(words.language())
                .addValue(words.analysis())
                .addValue(embedded == null ? null : embedded.fingerprint())
                .addValue(embedded == null ? null : embedded.vector().dimensions())
                .addValue(
                        embedded == null
                                ? null
                                : Buffer.buffer(embedded.vector().toLittleEndian()));
        return database.transaction(deadline, connection -> connection
                        .preparedQuery(PUT)
                        .execute(values)
                        .compose(rows -> embedded == null
                                ? Future.<Void>succeededFuture()
                                : vectors.replace(
                                        connection,
                                        List.of(new StoredVector(
                                                scope, canary.id(), 0, embedded.fingerprint(), embedded.vector())))))
                .onSuccess(done -> vectors.committed(scope));
    }

    /** What is there of it; a row with another content is not it. */
    public Future<Found> look(Canary canary, String fingerprint, Deadline deadline) {
        return get(canary, fingerprint, deadline)
                .map(row -> row == null || !row.getString("content_hash").equals(canary.contentHash())
                        ? Found.MISSING
                        : row.getBuffer("vector") == null ? Found.WITHOUT_VECTOR : Found.WITH_VECTOR);
    }

    /** Whether exactly this was written. */
    public Future<Boolean> holds(Canary canary, Embedded embedded, Deadline deadline) {
        return get(canary, embedded.fingerprint(), deadline).map(row -> {
            Buffer vector = row == null ? null : row.getBuffer("vector");
            return row != null
                    && vector != null
                    && row.getString("content_hash").equals(canary.contentHash())
                    && Arrays.equals(vector.getBytes(), embedded.vector().toLittleEndian());
        });
    }

    /** Removes the row, and rows of its project that somebody else has left behind. */
    public Future<Void> remove(Canary canary, Deadline deadline) {
        Scope scope = canary.scope();
        return database.transaction(deadline, connection -> connection
                        .preparedQuery(REMOVE)
                        .execute(Tuple.of(scope.owner(), scope.project(), canary.id(), LEFT_BEHIND_MINUTES))
                        .compose(rows -> {
                            List<UUID> removed = new ArrayList<>();
                            rows.forEach(row -> removed.add(row.getUUID("id")));
                            return removed.isEmpty()
                                    ? Future.<Void>succeededFuture()
                                    : vectors.remove(connection, scope, removed);
                        }))
                .onSuccess(done -> vectors.committed(scope));
    }

    private Future<@Nullable Row> get(Canary canary, String fingerprint, Deadline deadline) {
        Scope scope = canary.scope();
        Tuple values = Tuple.of(canary.id(), scope.owner(), scope.project(), fingerprint);
        return database.connection(
                        deadline, connection -> connection.preparedQuery(GET).execute(values))
                .map(rows -> {
                    for (Row row : rows) {
                        return row;
                    }
                    return null;
                });
    }
}
