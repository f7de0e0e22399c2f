package io.recallgate.recall;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.lexical.LexicalDocument;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Puts memories and vectors straight into the tables, as a committed write would. Blocks; owned by the test's thread. */
public final class MemoryFixture implements AutoCloseable {

    private static final String INSERT = "insert into memory (id, owner, project, kind, session, author, occurred_at,"
            + " pinned, content, content_hash, words, word_count, words_truncated, language, analysis) values"
            + " (?, ?, ?, ?, ?, ?, ?, ?, ?, sha256(convert_to(?, 'UTF8')), ?::text::tsvector, ?, ?, ?, ?)";
    private static final String VECTOR = "insert into memory_vector"
            + " (memory_id, fingerprint, passage, passages, owner, project, content_hash, dimensions, vector)"
            + " values (?, ?, ?, ?, ?, ?, sha256('x'), ?, ?)";

    private final Connection connection;
    private final LuceneAnalysis analysis = new LuceneAnalysis();

    /** Opens a connection of its own. */
    public MemoryFixture(TestDatabase database) {
        connection = database.jdbc();
        try (Statement statement = connection.createStatement()) {
            // Thousands of rows, none of which has to survive a crash.
            statement.execute("set synchronous_commit = off");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A turn. */
    public UUID turn(Scope scope, String content) {
        return insert(UUID.randomUUID(), scope, draft(content, MemoryKind.TURN, null, null, null));
    }

    /** Any memory under a given id. */
    public UUID insert(UUID id, Scope scope, MemoryDraft draft) {
        LexicalDocument words = analysis.document(draft);
        Instant at = draft.occurredAt();
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setObject(1, id);
            insert.setString(2, scope.owner());
            insert.setString(3, scope.project());
            insert.setString(4, draft.kind().wireName());
            insert.setString(5, draft.session());
            insert.setString(6, draft.author());
            insert.setTimestamp(7, at == null ? null : Timestamp.from(at));
            insert.setBoolean(8, draft.pinned());
            insert.setString(9, draft.content());
            insert.setString(10, draft.content());
            insert.setString(11, words.tsvector());
            insert.setInt(12, words.length());
            insert.setBoolean(13, words.truncated());
            insert.setString(14, words.language());
            insert.setString(15, words.analysis());
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return id;
    }

    /** The vector of a memory with one passage, behind the back of any index. */
    public void vector(Scope scope, UUID id, String fingerprint, int passage, EmbeddingVector vector) {
        vector(scope, id, fingerprint, passage, 1, vector);
    }

    /** The vector of a passage of several, behind the back of any index. */
    public void vector(Scope scope, UUID id, String fingerprint, int passage, int passages, EmbeddingVector vector) {
        try (PreparedStatement insert = connection.prepareStatement(VECTOR)) {
            insert.setObject(1, id);
            insert.setString(2, fingerprint);
            insert.setInt(3, passage);
            insert.setInt(4, passages);
            insert.setString(5, scope.owner());
            insert.setString(6, scope.project());
            insert.setInt(7, vector.dimensions());
            insert.setBytes(8, vector.toLittleEndian());
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Another memory, which nobody finds, supersedes this one. */
    public void supersede(UUID id) {
        try (PreparedStatement other = connection.prepareStatement(
                        "insert into memory (id, owner, project, kind, content, content_hash, words, word_count, superseded)"
                                + " select ?, owner, project, 'document', '.', sha256('.'), '', 0, true from memory where id = ?");
                PreparedStatement link = connection.prepareStatement(
                        "insert into memory_supersedes (superseding, reference, superseded, owner, project)"
                                + " select ?, id::text, id, owner, project from memory where id = ?")) {
            UUID by = UUID.randomUUID();
            other.setObject(1, by);
            other.setObject(2, id);
            other.executeUpdate();
            link.setObject(1, by);
            link.setObject(2, id);
            link.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Removes a memory with all that hangs on it. */
    public void delete(UUID id) {
        try (PreparedStatement delete = connection.prepareStatement("delete from memory where id = ?")) {
            delete.setObject(1, id);
            delete.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A draft with what tests vary. */
    public static MemoryDraft draft(
            String content,
            MemoryKind kind,
            @Nullable String session,
            @Nullable String author,
            @Nullable Instant occurredAt) {
        return new MemoryDraft(content, kind, "user", author, session, occurredAt, false, null, new JsonObject());
    }

    /** What a future brings, within a minute. */
    public static <T> T await(Future<T> future) {
        try {
            return future.await(1, TimeUnit.MINUTES);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new AssertionError("not within a minute", e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
