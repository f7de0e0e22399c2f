package io.recallgate.recall;

import io.recallgate.recall.api.Scope;
import io.recallgate.recall.vector.StoredVector;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes what the write path tells an index. */
public class RecordingVectorIndex implements VectorIndex {

    public final List<StoredVector> replaced = new CopyOnWriteArrayList<>();
    public final List<UUID> removed = new CopyOnWriteArrayList<>();
    public final List<Scope> committed = new CopyOnWriteArrayList<>();

    @Override
    public Future<List<VectorHit>> search(VectorQuery query, Deadline deadline, CancelSignal cancel) {
        return Future.succeededFuture(List.of());
    }

    @Override
    public Future<Map<UUID, Double>> similarities(
            VectorQuery query, Collection<UUID> memoryIds, Deadline deadline, CancelSignal cancel) {
        return Future.succeededFuture(Map.of());
    }

    @Override
    public Future<Void> replace(SqlConnection transaction, List<StoredVector> vectors) {
        replaced.addAll(vectors);
        return Future.succeededFuture();
    }

    @Override
    public Future<Void> remove(SqlConnection transaction, Scope scope, List<UUID> memoryIds) {
        removed.addAll(memoryIds);
        return Future.succeededFuture();
    }

    @Override
    public void committed(Scope scope) {
        committed.add(scope);
    }

    @Override
    public Future<Void> close() {
        return Future.succeededFuture();
    }
}
