package io.recallgate.recall.store;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.store.WriteStatements.Change;
import io.recallgate.recall.vector.VectorIndex;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What happens inside the transaction of a write. Stateless; the connection belongs to the caller's transaction. */
final class MemoryWriter {

    /** Another writer may insert the same external ids between our look and our insert; then we look again. */
    private static final int MAX_ROUNDS = 3;

    private final WriteStatements statements;
    private final VectorIndex vectors;

    MemoryWriter(WriteStatements statements, VectorIndex vectors) {
        this.statements = statements;
        this.vectors = vectors;
    }

    /** Stores all drafts; one entry for each, in order. */
    Future<List<StoredMemory>> store(
            SqlConnection connection, Scope scope, List<PreparedDraft> drafts, @Nullable String fingerprint) {
        Map<Integer, StoredMemory> done = new HashMap<>();
        return round(connection, scope, drafts, fingerprint, done, 1)
                .compose(ignored -> statements.notifyJobs(connection))
                .map(ignored -> drafts.stream()
                        .map(draft -> Objects.requireNonNull(done.get(draft.index())))
                        .toList());
    }

    /** Applies changes of memories whose versions were read before; fails with {@code conflict} if one moved on. */
    Future<Void> change(SqlConnection connection, Scope scope, List<Change> changes) {
        if (changes.isEmpty()) {
            return Future.succeededFuture();
        }
        List<UUID> reembed =
                changes.stream().filter(Change::reembed).map(Change::id).toList();
        return statements.update(connection, scope, changes).compose(updated -> {
            if (updated.size() != changes.size()) {
                return Future.failedFuture(conflict());
            }
            return reembed.isEmpty()
                    ? Future.succeededFuture()
                    : statements
                            .reopen(connection, scope, reembed)
                            .compose(ignored -> vectors.remove(connection, scope, reembed));
        });
    }

    /** Whether the vector of the one does not fit the other: content and author are what is embedded. */
    static boolean embedsDifferently(String hashBefore, MemoryDraft before, String hash, MemoryDraft draft) {
        return !hashBefore.equals(hash) || !Objects.equals(before.author(), draft.author());
    }

    static FailureException conflict() {
        return new FailureException(FailureCode.CONFLICT, "somebody else keeps changing the same memories; try again")
                .retryAfter(Duration.ofSeconds(1));
    }

    private Future<Void> round(
            SqlConnection connection,
            Scope scope,
            List<PreparedDraft> drafts,
            @Nullable String fingerprint,
            Map<Integer, StoredMemory> done,
            int round) {
        return existing(connection, scope, drafts, fingerprint).compose(rows -> {
            Sorted sorted = new Sorted();
            drafts.forEach(draft -> sort(draft, rows, sorted, done));
            return change(connection, scope, sorted.changes)
                    .compose(ignored -> insert(connection, scope, sorted.fresh, done))
                    .compose(raced -> {
                        List<PreparedDraft> again = new ArrayList<>(sorted.later);
                        again.addAll(raced);
                        if (again.isEmpty()) {
                            return Future.succeededFuture();
                        }
                        return round == MAX_ROUNDS
                                ? Future.failedFuture(conflict())
                                : round(connection, scope, again, fingerprint, done, round + 1);
                    });
        });
    }

    /** What the drafts of one round turned out to be. */
    private static final class Sorted {
        private final List<PreparedDraft> fresh = new ArrayList<>();
        private final List<Change> changes = new ArrayList<>();
        private final Set<UUID> taken = new HashSet<>();
        /** Those whose memory another draft of this round names too, in another way. */
        private final List<PreparedDraft> later = new ArrayList<>();
    }

    /** The rows that the drafts name. */
    private record Existing(Map<String, Row> byExternalId, Map<UUID, Row> byId) {
        @Nullable
        Row of(PreparedDraft draft) {
            String externalId = draft.draft().externalId();
            if (externalId != null) {
                return byExternalId.get(externalId);
            }
            if (draft.exportedId() == null) {
                return null;
            }
            Row itself = byId.get(draft.exportedId());
            return itself == null ? byId.get(draft.id()) : itself;
        }
    }

    private Future<Existing> existing(
            SqlConnection connection, Scope scope, List<PreparedDraft> drafts, @Nullable String fingerprint) {
        List<String> externalIds = new ArrayList<>();
        List<UUID> ids = new ArrayList<>();
        for (PreparedDraft draft : drafts) {
            String externalId = draft.draft().externalId();
            if (externalId != null) {
                externalIds.add(externalId);
            } else if (draft.exportedId() != null) {
                ids.add(draft.exportedId());
                ids.add(draft.id());
            }
        }
        Future<Map<String, Row>> byExternalId = externalIds.isEmpty()
                ? Future.succeededFuture(Map.of())
                : statements
                        .lockExisting(connection, scope, externalIds, fingerprint)
                        .map(MemoryWriter::byExternalId);
        return byExternalId.compose(named -> ids.isEmpty()
                ? Future.succeededFuture(new Existing(named, Map.of()))
                : statements
                        .lockExported(connection, scope, ids, fingerprint)
                        .map(rows -> new Existing(named, byId(rows))));
    }

    /** Inserts and returns those that somebody else inserted first. */
    private Future<List<PreparedDraft>> insert(
            SqlConnection connection, Scope scope, List<PreparedDraft> fresh, Map<Integer, StoredMemory> done) {
        if (fresh.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return statements.insert(connection, scope, fresh).map(rows -> {
            Set<UUID> stored = new HashSet<>();
            rows.forEach(row -> stored.add(row.getUUID("id")));
            List<PreparedDraft> raced = new ArrayList<>();
            for (PreparedDraft draft : fresh) {
                if (stored.contains(draft.id())) {
                    done.put(draft.index(), stored(draft.id(), draft, MemoryState.PENDING, StoredMemory.Change.STORED));
                } else {
                    raced.add(draft);
                }
            }
            return raced;
        });
    }

    private static void sort(PreparedDraft draft, Existing rows, Sorted sorted, Map<Integer, StoredMemory> done) {
        Row row = rows.of(draft);
        if (row == null) {
            sorted.fresh.add(draft);
            return;
        }
        UUID id = row.getUUID("id");
        if (!sorted.taken.add(id)) {
            sorted.later.add(draft);
            return;
        }
        MemoryDraft before = MemoryRows.draft(row);
        PreparedDraft after = draft.named(before.externalId());
        boolean reembed = embedsDifferently(MemoryRows.hash(row), before, after.contentHash(), after.draft());
        if (!reembed && sameBesideContent(before, after.draft())) {
            done.put(draft.index(), stored(id, after, MemoryRows.state(row), StoredMemory.Change.UNCHANGED));
            return;
        }
        sorted.changes.add(new Change(id, row.getLong("version"), after, reembed));
        MemoryState state = reembed ? MemoryState.PENDING : MemoryRows.state(row);
        done.put(draft.index(), stored(id, after, state, StoredMemory.Change.UPDATED));
    }

    private static StoredMemory stored(UUID id, PreparedDraft draft, MemoryState state, StoredMemory.Change change) {
        return new StoredMemory(id, draft.draft().externalId(), state, draft.contentHash(), change);
    }

    private static boolean sameBesideContent(MemoryDraft before, MemoryDraft draft) {
        return Arrays.asList(
                        before.kind(),
                        before.role(),
                        before.session(),
                        before.occurredAt(),
                        before.pinned(),
                        before.metadata())
                .equals(Arrays.asList(
                        draft.kind(),
                        draft.role(),
                        draft.session(),
                        draft.occurredAt(),
                        draft.pinned(),
                        draft.metadata()));
    }

    private static Map<UUID, Row> byId(RowSet<Row> rows) {
        Map<UUID, Row> map = new HashMap<>();
        rows.forEach(row -> map.put(row.getUUID("id"), row));
        return map;
    }

    private static Map<String, Row> byExternalId(RowSet<Row> rows) {
        Map<String, Row> map = new HashMap<>();
        rows.forEach(row -> map.put(row.getString("external_id"), row));
        return map;
    }
}
