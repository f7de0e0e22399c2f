package io.recallgate.recall.store;

import io.recallgate.recall.api.MemoryAccess;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a write: each takes all its rows at once, as one array for each column, so that a thousand memories
 * cost as many round trips as one.
 */
final class WriteStatements {

    private static final String LOCK_EXISTING = Statements.load("store/lock-existing");
    private static final String LOCK_EXPORTED = Statements.load("store/lock-exported");
    private static final String INSERT = Statements.load("store/insert");
    private static final String UPDATE = Statements.load("store/update");
    private static final String FORGET_EMBEDDING = Statements.load("store/forget-embedding");
    private static final String OPEN_JOBS = Statements.load("store/open-jobs");
    private static final String RESTORE_ACCESS = Statements.load("store/restore-access");
    private static final String NOTIFY_JOBS = Statements.load("store/notify-jobs");

    private final DatabaseTime time;

    WriteStatements(DatabaseTime time) {
        this.time = time;
    }

    /**
     * A change of an existing memory.
     *
     * @param id whose
     * @param version it was read with
     * @param draft as it shall be
     * @param reembed whether its vector no longer fits
     */
    record Change(UUID id, long version, PreparedDraft draft, boolean reembed) {}

    Future<RowSet<Row>> lockExisting(
            SqlConnection connection, Scope scope, List<String> externalIds, @Nullable String fingerprint) {
        return connection
                .preparedQuery(LOCK_EXISTING)
                .execute(Tuple.of(scope.owner(), scope.project(), externalIds.toArray(String[]::new), fingerprint));
    }

    Future<RowSet<Row>> lockExported(
            SqlConnection connection, Scope scope, List<UUID> ids, @Nullable String fingerprint) {
        return connection
                .preparedQuery(LOCK_EXPORTED)
                .execute(Tuple.of(scope.owner(), scope.project(), ids.toArray(UUID[]::new), fingerprint));
    }

    Future<RowSet<Row>> insert(SqlConnection connection, Scope scope, List<PreparedDraft> drafts) {
        Tuple values = scoped(scope).addValue(column(drafts, UUID[]::new, PreparedDraft::id));
        addDrafts(values, drafts);
        return connection.preparedQuery(INSERT).execute(values);
    }

    Future<RowSet<Row>> update(SqlConnection connection, Scope scope, List<Change> changes) {
        Tuple values = scoped(scope)
                .addValue(column(changes, UUID[]::new, Change::id))
                .addValue(column(changes, Long[]::new, Change::version));
        addDrafts(values, changes.stream().map(Change::draft).toList());
        return connection.preparedQuery(UPDATE).execute(values);
    }

    /** Removes vectors, cancels open jobs and opens new ones; sent together. */
    Future<Void> reopen(SqlConnection connection, Scope scope, List<UUID> memoryIds) {
        UUID[] ids = memoryIds.toArray(UUID[]::new);
        Future<?> forgotten =
                connection.preparedQuery(FORGET_EMBEDDING).execute(scoped(scope).addValue(ids));
        Future<?> opened =
                connection.preparedQuery(OPEN_JOBS).execute(scoped(scope).addValue(ids));
        return Future.all(forgotten, opened).mapEmpty();
    }

    /** What exported memories bring of their recalls. */
    Future<Void> restoreAccess(SqlConnection connection, Map<UUID, MemoryAccess> accesses) {
        List<UUID> ids = List.copyOf(accesses.keySet());
        List<MemoryAccess> values =
                ids.stream().map(accesses::get).filter(Objects::nonNull).toList();
        Tuple parameters = Tuple.tuple()
                .addValue(column(ids, UUID[]::new, id -> id))
                .addValue(column(values, Long[]::new, MemoryAccess::count))
                .addValue(column(
                        values, OffsetDateTime[]::new, access -> access.lastAt().atOffset(ZoneOffset.UTC)));
        return connection.preparedQuery(RESTORE_ACCESS).execute(parameters).mapEmpty();
    }

    Future<Void> notifyJobs(SqlConnection connection) {
        return connection.query(NOTIFY_JOBS).execute().mapEmpty();
    }

    private Tuple scoped(Scope scope) {
        return Tuple.tuple().addValue(scope.owner()).addValue(scope.project()).addValue(time.now());
    }

    private static void addDrafts(Tuple values, List<PreparedDraft> drafts) {
        addTexts(values, drafts, MemoryDraft::externalId);
        addTexts(values, drafts, draft -> draft.kind().wireName());
        addTexts(values, drafts, MemoryDraft::role);
        addTexts(values, drafts, MemoryDraft::author);
        addTexts(values, drafts, MemoryDraft::session);
        addTexts(values, drafts, MemoryDraft::content);
        values.addValue(column(drafts, String[]::new, PreparedDraft::contentHash))
                .addValue(column(drafts, OffsetDateTime[]::new, WriteStatements::occurredAt))
                .addValue(column(drafts, Boolean[]::new, draft -> draft.draft().pinned()))
                .addValue(column(drafts, String[]::new, PreparedDraft::metadata))
                .addValue(column(drafts, String[]::new, draft -> draft.words().tsvector()))
                .addValue(column(drafts, Integer[]::new, draft -> draft.words().length()))
                .addValue(column(drafts, Boolean[]::new, draft -> draft.words().truncated()))
                .addValue(column(drafts, String[]::new, draft -> draft.words().language()))
                .addValue(column(drafts, String[]::new, draft -> draft.words().analysis()));
    }

    private static void addTexts(
            Tuple values, List<PreparedDraft> drafts, Function<MemoryDraft, @Nullable String> field) {
        values.addValue(column(drafts, String[]::new, draft -> field.apply(draft.draft())));
    }

    private static @Nullable OffsetDateTime occurredAt(PreparedDraft draft) {
        return draft.draft().occurredAt() == null
                ? null
                : draft.draft().occurredAt().atOffset(ZoneOffset.UTC);
    }

    private static <R, V> V[] column(List<R> rows, IntFunction<V[]> array, Function<R, @Nullable V> value) {
        V[] column = array.apply(rows.size());
        for (int i = 0; i < column.length; i++) {
            V cell = value.apply(rows.get(i));
            if (cell != null) {
                column[i] = cell;
            }
        }
        return column;
    }
}
