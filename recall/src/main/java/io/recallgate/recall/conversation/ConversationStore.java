package io.recallgate.recall.conversation;

import io.recallgate.recall.api.AcceptedTurn;
import io.recallgate.recall.api.Checkpoint;
import io.recallgate.recall.api.Conversation;
import io.recallgate.recall.api.ConversationService;
import io.recallgate.recall.api.Injection;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.store.MemoryRows;
import io.recallgate.recall.store.MemoryStore;
import io.recallgate.recall.store.RemovedTurns;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** {@link ConversationService} on PostgreSQL. Any thread. */
public final class ConversationStore implements ConversationService {

    /** A client that goes back further, or in more directions, is prepared anew. */
    static final int KEPT_CHECKPOINTS = 16;

    private static final String CHECKPOINTS = Statements.load("conversation/checkpoints");
    private static final String INJECTIONS = Statements.load("conversation/injections");
    private static final String PINNED = Statements.load("conversation/pinned");
    private static final String ACCEPT = Statements.load("conversation/accept");
    private static final String GIVEN = Statements.load("conversation/given");
    private static final String INJECT = Statements.load("conversation/inject");
    private static final String TRIM = Statements.load("conversation/trim");

    private static final HexFormat HEX = HexFormat.of();

    private final Database database;
    private final MemoryStore memories;
    private final DatabaseTime time;
    private final BooleanSupplier logs;
    private final RemovedTurns removed;

    /**
     * @param memories writes the memories of a turn, in the same transaction as the rest
     * @param logs whether it is noted what turns are given after a recall; read for each turn
     */
    public ConversationStore(Database database, MemoryStore memories, DatabaseTime time, BooleanSupplier logs) {
        this.database = database;
        this.memories = memories;
        this.time = time;
        this.logs = logs;
        this.removed = new RemovedTurns(time);
    }

    @Override
    public Future<Conversation> load(
            Scope scope, String session, List<String> chains, Deadline deadline, CancelSignal cancel) {
        if (chains.size() > MAX_CHAINS) {
            throw new IllegalArgumentException("more than " + MAX_CHAINS + " chains");
        }
        Buffer[] wanted = chains.stream().map(ConversationStore::bytes).toArray(Buffer[]::new);
        return database.connection(deadline, cancel, connection -> {
            // Both are sent before the first is answered.
            Future<RowSet<Row>> checkpoints = connection
                    .preparedQuery(CHECKPOINTS)
                    .execute(Tuple.of(scope.owner(), scope.project(), session, KEPT_CHECKPOINTS));
            Future<List<Injection>> injections = wanted.length == 0
                    ? Future.succeededFuture(List.of())
                    : connection
                            .preparedQuery(INJECTIONS)
                            .execute(Tuple.of(scope.owner(), scope.project(), session, wanted))
                            .map(ConversationStore::injections);
            return Future.all(checkpoints, injections)
                    .map(both -> new Conversation(checkpoints(checkpoints.result()), injections.result()));
        });
    }

    @Override
    public Future<List<Memory>> pinned(Scope scope, int limit, Deadline deadline, CancelSignal cancel) {
        return database.connection(deadline, cancel, connection -> connection
                .preparedQuery(PINNED)
                .execute(Tuple.of(scope.owner(), scope.project(), limit))
                .map(rows -> {
                    List<Memory> pinned = new ArrayList<>();
                    rows.forEach(row -> pinned.add(MemoryRows.memory(row)));
                    return pinned;
                }));
    }

    @Override
    public Future<Void> accept(Scope scope, AcceptedTurn turn, Deadline deadline) {
        return memories.remember(scope, turn.drafts(), deadline, (connection, stored) -> Future.all(
                                removed.drop(connection, scope, stored), note(connection, scope, turn))
                        .mapEmpty())
                .mapEmpty();
    }

    private Future<Void> note(SqlConnection connection, Scope scope, AcceptedTurn turn) {
        Checkpoint checkpoint = turn.checkpoint();
        Future<?> accepted = checkpoint == null
                ? Future.succeededFuture()
                : connection
                        .preparedQuery(ACCEPT)
                        .execute(scoped(scope, turn.session(), checkpoint.chain())
                                .addValue(checkpoint.messages())
                                .addValue(checkpoint.windowStart())
                                .addValue(checkpoint.shortenedUntil())
                                .addValue(checkpoint.windowTokens())
                                .addValue(checkpoint.counted())
                                .addValue(checkpoint.tokenizer())
                                .addValue(time.now()));
        Injection injection = turn.injection();
        Future<?> injected = injection == null
                ? Future.succeededFuture()
                : connection
                        .preparedQuery(INJECT)
                        .execute(scoped(scope, turn.session(), injection.chain())
                                .addValue(injection.block())
                                .addValue(injection.memories().toArray(UUID[]::new))
                                .addValue(pinnedJson(injection))
                                .addValue(time.now())
                                .addValue(versions(injection, turn.shown())));
        UUID recall = turn.recall();
        Future<?> given = injection == null || recall == null || !logs.getAsBoolean()
                ? Future.succeededFuture()
                : connection
                        .preparedQuery(GIVEN)
                        .execute(Tuple.of(scope.owner(), scope.project(), turn.session(), recall)
                                .addValue(injection.memories().toArray(UUID[]::new))
                                .addValue(time.now()));
        Future<?> trimmed = connection
                .preparedQuery(TRIM)
                .execute(Tuple.tuple()
                        .addValue(scope.owner())
                        .addValue(scope.project())
                        .addValue(turn.session())
                        .addValue(KEPT_CHECKPOINTS)
                        .addValue(MAX_CHAINS));
        return Future.all(accepted, injected, given, trimmed).mapEmpty();
    }

    private static Tuple scoped(Scope scope, String session, String chain) {
        return Tuple.tuple()
                .addValue(scope.owner())
                .addValue(scope.project())
                .addValue(session)
                .addValue(bytes(chain));
    }

    private static List<Checkpoint> checkpoints(RowSet<Row> rows) {
        List<Checkpoint> checkpoints = new ArrayList<>();
        rows.forEach(row -> checkpoints.add(new Checkpoint(
                HEX.formatHex(row.getBuffer("chain").getBytes()),
                row.getInteger("messages"),
                row.getInteger("window_start"),
                row.getInteger("shortened_until"),
                row.getLong("window_tokens"),
                row.getBoolean("counted"),
                row.getString("tokenizer"))));
        return checkpoints;
    }

    private static List<Injection> injections(RowSet<Row> rows) {
        List<Injection> injections = new ArrayList<>();
        rows.forEach(row -> {
            Map<UUID, String> pinned = new HashMap<>();
            row.get(JsonObject.class, "pinned")
                    .forEach(entry -> pinned.put(UUID.fromString(entry.getKey()), (String) entry.getValue()));
            injections.add(new Injection(
                    HEX.formatHex(row.getBuffer("chain").getBytes()),
                    row.getString("block"),
                    List.of(row.getArrayOfUUIDs("memories")),
                    pinned));
        });
        return injections;
    }

    /** As each memory is shown; null, which equals nothing, for one of which that is not known. */
    private static Long[] versions(Injection injection, Map<UUID, Long> shown) {
        return injection.memories().stream().map(shown::get).toArray(Long[]::new);
    }

    private static JsonObject pinnedJson(Injection injection) {
        JsonObject json = new JsonObject();
        injection.pinned().forEach((id, hash) -> json.put(id.toString(), hash));
        return json;
    }

    private static Buffer bytes(String chain) {
        return Buffer.buffer(HEX.parseHex(chain));
    }
}
