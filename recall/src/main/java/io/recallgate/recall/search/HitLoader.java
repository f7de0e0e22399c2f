package io.recallgate.recall.search;

import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.RecallHit;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Plans;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.rank.Fused;
import io.recallgate.recall.store.MemoryRows;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the memories of an order, in one statement that is scoped once more. Stateless. */
final class HitLoader {

    private static final String HITS = Statements.load("search/hits");

    private final Database database;

    HitLoader(Database database) {
        this.database = database;
    }

    /**
     * The hits, in the given order; what was deleted meanwhile is left out.
     *
     * @param fingerprint of the active model, null if unknown
     * @param cancel ends the statement when nobody waits for the hits any more
     */
    Future<List<RecallHit>> load(
            Scope scope,
            List<Fused> order,
            @Nullable String fingerprint,
            boolean explain,
            Deadline deadline,
            CancelSignal cancel) {
        if (order.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        UUID[] ids = order.stream().map(Fused::id).toArray(UUID[]::new);
        Tuple parameters = Tuple.of(scope.owner(), scope.project(), ids, fingerprint);
        return database.connection(deadline, cancel, Plans.KEPT, connection -> connection
                        .preparedQuery(HITS)
                        .execute(parameters))
                .map(rows -> {
                    Map<UUID, Memory> memories = new HashMap<>();
                    rows.forEach(row -> memories.put(row.getUUID("id"), MemoryRows.memory(row)));
                    List<RecallHit> hits = new ArrayList<>();
                    for (Fused fused : order) {
                        Memory memory = memories.get(fused.id());
                        if (memory != null) {
                            hits.add(new RecallHit(
                                    memory,
                                    fused.score(),
                                    fused.lexicalRank(),
                                    fused.vectorRank(),
                                    explain ? fused.signals() : Map.of(),
                                    explain ? fused.wordParts() : Map.of()));
                        }
                    }
                    return hits;
                });
    }
}
