package io.recallgate.recall.store;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.ExportPage;
import io.recallgate.recall.api.ExportQuery;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryPage;
import io.recallgate.recall.api.MemoryPatch;
import io.recallgate.recall.api.MemoryQuery;
import io.recallgate.recall.api.MemoryService;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.json.MemoryJson;
import io.recallgate.recall.lexical.LexicalAnalysis;
import io.recallgate.recall.store.Supersession.Links;
import io.recallgate.recall.store.WriteStatements.Change;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@link MemoryService} on PostgreSQL. Any thread; analysis of more than a few short texts runs on a worker. */
public final class MemoryStore implements MemoryService {

    /** Analysis takes about a microsecond for a character: this much may run on an event loop. */
    private static final int INLINE_CHARS = 4 * 1024;

    private static final int INLINE_DRAFTS = 4;

    /** A transaction of a session's deletion removes so many. */
    private static final int DELETE_CHUNK = 2_000;

    private static final int MAX_PATCH_TRIES = 5;

    private static final String GET = Statements.load("store/get");
    private static final String LIST = Statements.load("store/list");
    private static final String DELETE = Statements.load("store/delete");
    private static final String DELETE_SESSION = Statements.load("store/delete-session");

    private static final String FORGET_CONVERSATION = Statements.load("conversation/forget");

    private final Database database;
    private final LexicalAnalysis analysis;
    private final VectorIndex vectors;
    private final WorkerExecutor workers;
    private final Config config;
    private final MemoryIds ids;
    private final MemoryWriter writer;
    private final MemoryExport exports;
    private final RemovedTurns removed;
    private final WriteAdmission admission = new WriteAdmission();

    /**
     * What else it goes by.
     *
     * @param clock for ids
     * @param time of statements
     * @param fingerprint of the active model, null while none is known; read on each call
     * @param giveWay completes when it is the turn of work that nobody waits for, on the caller's context; never fails
     */
    public record Config(
            Clock clock, DatabaseTime time, Supplier<@Nullable String> fingerprint, Supplier<Future<Void>> giveWay) {

        /** One where nothing gives way. */
        public Config(Clock clock, DatabaseTime time, Supplier<@Nullable String> fingerprint) {
            this(clock, time, fingerprint, Future::succeededFuture);
        }
    }

    /**
     * @param workers run the analysis of large texts
     */
    public MemoryStore(
            Database database, LexicalAnalysis analysis, VectorIndex vectors, WorkerExecutor workers, Config config) {
        this.database = database;
        this.analysis = analysis;
        this.vectors = vectors;
        this.workers = workers;
        this.config = config;
        this.ids = new MemoryIds(config.clock());
        this.exports = new MemoryExport(database);
        this.removed = new RemovedTurns(config.time());
        this.writer = new MemoryWriter(new WriteStatements(config.time()), vectors);
    }

    @Override
    public Future<List<StoredMemory>> remember(Scope scope, List<MemoryDraft> drafts, Deadline deadline) {
        return store(
                scope,
                drafts.stream().map(draft -> new ExportedMemory(null, draft)).toList(),
                deadline,
                false,
                (connection, stored) -> Future.succeededFuture());
    }

    /**
     * As {@link #remember(Scope, List, Deadline)}, with something else in the same transaction: both are written, or neither.
     *
     * @param drafts may be empty
     * @param beside runs after the memories are written, and is told of them; may run again as {@link Database#transaction} says
     */
    public Future<List<StoredMemory>> remember(
            Scope scope,
            List<MemoryDraft> drafts,
            Deadline deadline,
            BiFunction<SqlConnection, List<StoredMemory>, Future<Void>> beside) {
        if (drafts.isEmpty()) {
            return database.transaction(deadline, connection -> beside.apply(connection, List.of()))
                    .map(List.of());
        }
        return store(
                scope,
                drafts.stream().map(draft -> new ExportedMemory(null, draft)).toList(),
                deadline,
                false,
                beside);
    }

    @Override
    public Future<List<StoredMemory>> restore(Scope scope, List<ExportedMemory> memories, Deadline deadline) {
        return config.giveWay()
                .get()
                .compose(ignored ->
                        store(scope, memories, deadline, true, (connection, stored) -> Future.succeededFuture()));
    }

    private Future<List<StoredMemory>> store(
            Scope scope,
            List<ExportedMemory> memories,
            Deadline deadline,
            boolean restoring,
            BiFunction<SqlConnection, List<StoredMemory>, Future<Void>> beside) {
        long weight = memories.stream()
                .mapToLong(memory -> memory.draft().content().length())
                .sum();
        try {
            if (memories.isEmpty() || memories.size() > MAX_DRAFTS) {
                throw FailureException.ofField(
                        FailureCode.INVALID_FIELD, "memories", "memories must have 1 to " + MAX_DRAFTS + " entries");
            }
            MemoryJson.requireDistinctMemories(memories);
            admission.enter(weight);
        } catch (FailureException e) {
            return Future.failedFuture(e);
        }
        return prepare(scope, memories, weight)
                .compose(prepared -> database.transaction(deadline, connection -> writer.store(
                                connection,
                                scope,
                                prepared,
                                config.fingerprint().get(),
                                restoring)
                        .compose(stored -> beside.apply(connection, stored).map(stored))))
                .onSuccess(stored -> {
                    if (stored.stream().anyMatch(memory -> memory.change() == StoredMemory.Change.UPDATED)) {
                        vectors.committed(scope);
                    }
                })
                .onComplete(ignored -> admission.leave(weight));
    }

    @Override
    public Future<ExportPage> export(Scope scope, ExportQuery query, Deadline deadline) {
        return exports.page(scope, query, deadline);
    }

    @Override
    public Future<Memory> get(Scope scope, UUID id, Deadline deadline) {
        return database.connection(deadline, connection -> read(connection, scope, id));
    }

    @Override
    public Future<MemoryPage> list(Scope scope, MemoryQuery query, Deadline deadline) {
        Tuple values;
        try {
            if (query.limit() < 1 || query.limit() > MemoryQuery.MAX_LIMIT) {
                throw FailureException.ofField(
                        FailureCode.INVALID_FIELD, "limit", "limit must be 1 to " + MemoryQuery.MAX_LIMIT);
            }
            // One more than asked for tells whether there is another page.
            values = Tuple.tuple()
                    .addValue(scope.owner())
                    .addValue(scope.project())
                    .addValue(config.fingerprint().get())
                    .addValue(ListCursor.decode(query.cursor()))
                    .addValue(query.session())
                    .addValue(query.kind() == null ? null : query.kind().wireName())
                    .addValue(query.state() == null ? null : query.state().wireName())
                    .addValue(query.limit() + 1);
        } catch (FailureException e) {
            return Future.failedFuture(e);
        }
        return database.connection(
                deadline,
                connection -> connection.preparedQuery(LIST).execute(values).map(rows -> {
                    List<Memory> page = new ArrayList<>();
                    String next = null;
                    long last = 0;
                    for (Row row : rows) {
                        if (page.size() == query.limit()) {
                            next = ListCursor.encode(last);
                            break;
                        }
                        page.add(MemoryRows.memory(row));
                        last = row.getLong("position");
                    }
                    return new MemoryPage(page, next);
                }));
    }

    @Override
    public Future<Memory> patch(Scope scope, UUID id, MemoryPatch patch, Deadline deadline) {
        return patch(scope, id, patch, deadline, 1);
    }

    @Override
    public Future<Void> delete(Scope scope, UUID id, Deadline deadline) {
        return database.transaction(deadline, connection -> connection
                        .preparedQuery(DELETE)
                        .execute(Tuple.of(scope.owner(), scope.project(), id))
                        .compose(rows -> rows.size() == 0
                                ? Future.failedFuture(notFound())
                                : removed.note(connection, scope, rows)
                                        .compose(noted -> vectors.remove(connection, scope, List.of(id)))))
                .onSuccess(ignored -> vectors.committed(scope));
    }

    @Override
    public Future<Integer> deleteSession(Scope scope, String session, Deadline deadline) {
        return deleteSession(scope, session, deadline, 0);
    }

    private Future<Integer> deleteSession(Scope scope, String session, Deadline deadline, int before) {
        return database.transaction(deadline, connection -> connection
                        .preparedQuery(FORGET_CONVERSATION)
                        .execute(Tuple.of(scope.owner(), scope.project(), session))
                        .compose(forgotten -> connection
                                .preparedQuery(DELETE_SESSION)
                                .execute(Tuple.of(scope.owner(), scope.project(), session, DELETE_CHUNK)))
                        .compose(rows -> {
                            List<UUID> gone = new ArrayList<>();
                            rows.forEach(row -> gone.add(row.getUUID("id")));
                            return gone.isEmpty()
                                    ? Future.succeededFuture(0)
                                    : removed.note(connection, scope, rows)
                                            .compose(noted -> vectors.remove(connection, scope, gone))
                                            .map(gone.size());
                        }))
                .compose(count -> {
                    if (count > 0) {
                        vectors.committed(scope);
                    }
                    return count < DELETE_CHUNK
                            ? Future.succeededFuture(before + count)
                            : deleteSession(scope, session, deadline, before + count);
                });
    }

    /** Reads, applies and analyses outside the transaction; the version tells whether somebody was faster. */
    private Future<Memory> patch(Scope scope, UUID id, MemoryPatch patch, Deadline deadline, int tries) {
        return get(scope, id, deadline).compose(memory -> {
            MemoryDraft draft;
            try {
                draft = MemoryJson.apply(patch, memory.draft());
            } catch (FailureException e) {
                return Future.failedFuture(e);
            }
            if (draft.equals(memory.draft())) {
                return Future.succeededFuture(memory);
            }
            return prepare(
                            scope,
                            List.of(new ExportedMemory(null, draft)),
                            draft.content().length())
                    .compose(prepared -> write(scope, memory, prepared.get(0), deadline))
                    .recover(error -> error instanceof FailureException failure
                                    && failure.code() == FailureCode.CONFLICT
                                    && failure.field() == null
                                    && tries < MAX_PATCH_TRIES
                            ? patch(scope, id, patch, deadline, tries + 1)
                            : Future.failedFuture(error));
        });
    }

    private Future<Memory> write(Scope scope, Memory before, PreparedDraft draft, Deadline deadline) {
        boolean reembed = MemoryWriter.embedsDifferently(
                before.contentHash(), before.draft(), draft.contentHash(), draft.draft());
        Change change = new Change(before.id(), before.version(), draft, reembed);
        WriteStatements statements = new WriteStatements(config.time());
        List<Links> links = before.draft().supersedes().equals(draft.draft().supersedes())
                ? List.of()
                : List.of(new Links(before.id(), "supersedes", draft.draft().supersedes()));
        return database.transaction(deadline, connection -> (links.isEmpty()
                                ? Future.<Void>succeededFuture()
                                : Supersession.lock(connection, scope))
                        .compose(ignored -> writer.change(connection, scope, List.of(change)))
                        .recover(error -> Future.failedFuture(externalIdTaken(error)))
                        .compose(ignored -> Supersession.relink(connection, scope, links, false))
                        .compose(ignored -> Supersession.requireNoCycle(connection, links))
                        .compose(ignored -> reembed ? statements.notifyJobs(connection) : Future.succeededFuture())
                        .compose(ignored -> read(connection, scope, before.id())))
                .onSuccess(ignored -> {
                    if (reembed) {
                        vectors.committed(scope);
                    }
                });
    }

    private Future<Memory> read(SqlConnection connection, Scope scope, UUID id) {
        return connection
                .preparedQuery(GET)
                .execute(Tuple.of(
                        scope.owner(), scope.project(), id, config.fingerprint().get()))
                .map(rows -> {
                    if (rows.size() == 0) {
                        throw notFound();
                    }
                    return MemoryRows.memory(rows.iterator().next());
                });
    }

    private Future<List<PreparedDraft>> prepare(Scope scope, List<ExportedMemory> memories, long weight) {
        if (memories.size() > INLINE_DRAFTS || weight > INLINE_CHARS) {
            return workers.executeBlocking(() -> prepareNow(scope, memories), false)
                    .recover(error -> Future.failedFuture(FailureException.of(error)));
        }
        try {
            return Future.succeededFuture(prepareNow(scope, memories));
        } catch (RuntimeException e) {
            return Future.failedFuture(FailureException.of(e));
        }
    }

    private List<PreparedDraft> prepareNow(Scope scope, List<ExportedMemory> memories) {
        List<PreparedDraft> prepared = new ArrayList<>(memories.size());
        for (int i = 0; i < memories.size(); i++) {
            ExportedMemory memory = memories.get(i);
            UUID id = memory.id() == null || memory.draft().externalId() != null
                    ? ids.next()
                    : MemoryIds.restored(scope, memory.id());
            prepared.add(PreparedDraft.of(i, id, memory, analysis));
        }
        return prepared;
    }

    private static Throwable externalIdTaken(Throwable error) {
        return error instanceof PgException pg && Objects.equals(pg.getConstraint(), "memory_external_id")
                ? FailureException.ofField(
                        FailureCode.CONFLICT, "external_id", "external_id already belongs to another memory")
                : error;
    }

    private static FailureException notFound() {
        return new FailureException(FailureCode.NOT_FOUND, "there is no such memory");
    }
}
