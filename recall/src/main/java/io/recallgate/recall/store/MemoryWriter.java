package io.recallgate.recall.store;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.MemoryAccess;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.store.Supersession.Links;
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
import java.util.TreeMap;
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

    /**
     * Stores all drafts; one entry for each, in order.
     *
     * @param restoring whether what they supersede may come later
     */
    Future<List<StoredMemory>> store(
            SqlConnection connection,
            Scope scope,
            List<PreparedDraft> drafts,
            @Nullable String fingerprint,
            boolean restoring) {
        Map<Integer, StoredMemory> done = new HashMap<>();
        Map<Integer, Links> links = new TreeMap<>();
        boolean linking =
                drafts.stream().anyMatch(draft -> !draft.draft().supersedes().isEmpty());
        Batch batch = new Batch(scope, fingerprint, drafts.size(), done, links);
        return (linking ? Supersession.lock(connection, scope) : Future.<Void>succeededFuture())
                .compose(ignored -> round(connection, batch, drafts, 1))
                .compose(ignored -> Supersession.relink(connection, scope, List.copyOf(links.values()), restoring))
                .compose(ignored -> arrived(connection, batch, drafts))
                .compose(ignored -> Supersession.requireNoCycle(connection, List.copyOf(links.values())))
                .compose(ignored -> statements.notifyJobs(connection))
                .map(ignored -> drafts.stream()
                        .map(draft -> Objects.requireNonNull(done.get(draft.index())))
                        .toList());
    }

    /**
     * One write.
     *
     * @param size how many drafts it has
     * @param done what became of each draft, by its index
     * @param links what changes in what they supersede, by the same
     */
    private record Batch(
            Scope scope,
            @Nullable String fingerprint,
            int size,
            Map<Integer, StoredMemory> done,
            Map<Integer, Links> links) {

        void link(PreparedDraft draft, UUID id) {
            // Where there is one only, it may have come by itself.
            String field = size == 1 ? "supersedes" : "memories[" + draft.index() + "].supersedes";
            links.put(draft.index(), new Links(id, field, draft.draft().supersedes()));
        }
    }

    /** Those that are new may have been waited for, and bring along how often they were recalled. */
    private Future<Void> arrived(SqlConnection connection, Batch batch, List<PreparedDraft> drafts) {
        Map<String, UUID> names = new HashMap<>();
        Map<UUID, MemoryAccess> accesses = new HashMap<>();
        for (PreparedDraft draft : drafts) {
            StoredMemory stored = Objects.requireNonNull(batch.done.get(draft.index()));
            if (draft.access() != null) {
                accesses.put(stored.id(), draft.access());
            }
            if (stored.change() == StoredMemory.Change.STORED) {
                names.put(stored.id().toString(), stored.id());
                if (draft.exportedId() != null) {
                    names.put(draft.exportedId().toString(), stored.id());
                }
                if (stored.externalId() != null) {
                    names.put(stored.externalId(), stored.id());
                }
            }
        }
        return Supersession.arrived(connection, batch.scope, names)
                .compose(ignored ->
                        accesses.isEmpty() ? Future.succeededFuture() : statements.restoreAccess(connection, accesses));
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

    private Future<Void> round(SqlConnection connection, Batch batch, List<PreparedDraft> drafts, int round) {
        return existing(connection, batch.scope, drafts, batch.fingerprint).compose(rows -> {
            Sorted sorted = new Sorted();
            drafts.forEach(draft -> sort(draft, rows, sorted, batch));
            return change(connection, batch.scope, sorted.changes)
                    .compose(ignored -> insert(connection, batch, sorted.fresh))
                    .compose(raced -> {
                        List<PreparedDraft> again = new ArrayList<>(sorted.later);
                        again.addAll(raced);
                        if (again.isEmpty()) {
                            return Future.succeededFuture();
                        }
                        return round == MAX_ROUNDS
                                ? Future.failedFuture(conflict())
                                : round(connection, batch, again, round + 1);
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
    private Future<List<PreparedDraft>> insert(SqlConnection connection, Batch batch, List<PreparedDraft> fresh) {
        if (fresh.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return statements.insert(connection, batch.scope, fresh).map(rows -> {
            Set<UUID> stored = new HashSet<>();
            rows.forEach(row -> stored.add(row.getUUID("id")));
            List<PreparedDraft> raced = new ArrayList<>();
            for (PreparedDraft draft : fresh) {
                if (stored.contains(draft.id())) {
                    batch.done.put(
                            draft.index(), stored(draft.id(), draft, MemoryState.PENDING, StoredMemory.Change.STORED));
                    if (!draft.draft().supersedes().isEmpty()) {
                        batch.link(draft, draft.id());
                    }
                } else {
                    raced.add(draft);
                }
            }
            return raced;
        });
    }

    private static void sort(PreparedDraft draft, Existing rows, Sorted sorted, Batch batch) {
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
        boolean relink = !Supersession.isAlready(row, draft.draft().supersedes());
        if (relink) {
            batch.link(draft, id);
        }
        if (!reembed && !relink && sameBesideContent(before, after.draft())) {
            batch.done.put(draft.index(), stored(id, after, MemoryRows.state(row), StoredMemory.Change.UNCHANGED));
            return;
        }
        sorted.changes.add(new Change(id, row.getLong("version"), after, reembed));
        MemoryState state = reembed ? MemoryState.PENDING : MemoryRows.state(row);
        batch.done.put(draft.index(), stored(id, after, state, StoredMemory.Change.UPDATED));
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
