package io.recallgate.gateway.http;

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
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.json.MemoryJson;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Memories in a map, scoped as the real ones are. What it was asked is kept for the test. */
final class ScriptedMemories implements MemoryService {

    final BlockingQueue<MemoryQuery> queries = new LinkedBlockingQueue<>();
    final BlockingQueue<Deadline> deadlines = new LinkedBlockingQueue<>();
    final BlockingQueue<List<ExportedMemory>> restored = new LinkedBlockingQueue<>();
    volatile @Nullable FailureException failing;
    /** Asked before each write of an import. */
    volatile Function<List<ExportedMemory>, Future<?>> restore = memories -> Future.succeededFuture();

    volatile Function<ExportQuery, Future<ExportPage>> export =
            query -> Future.succeededFuture(new ExportPage(List.of(), null));

    private final Map<Scope, Map<UUID, Memory>> stored = new LinkedHashMap<>();

    synchronized int count() {
        return stored.values().stream().mapToInt(Map::size).sum();
    }

    private synchronized Map<UUID, Memory> of(Scope scope) {
        return stored.computeIfAbsent(scope, ignored -> new LinkedHashMap<>());
    }

    @Override
    public Future<List<StoredMemory>> restore(Scope scope, List<ExportedMemory> memories, Deadline deadline) {
        restored.add(memories);
        return restore.apply(memories)
                .compose(ignored -> remember(
                        scope, memories.stream().map(ExportedMemory::draft).toList(), deadline));
    }

    @Override
    public Future<ExportPage> export(Scope scope, ExportQuery query, Deadline deadline) {
        return export.apply(query);
    }

    @Override
    public synchronized Future<List<StoredMemory>> remember(Scope scope, List<MemoryDraft> drafts, Deadline deadline) {
        deadlines.add(deadline);
        if (failing != null) {
            return Future.failedFuture(failing);
        }
        List<StoredMemory> answers = new ArrayList<>();
        for (MemoryDraft draft : drafts) {
            UUID id = UUID.randomUUID();
            of(scope).put(id, memory(id, draft, 1));
            answers.add(
                    new StoredMemory(id, draft.externalId(), MemoryState.PENDING, "aa", StoredMemory.Change.STORED));
        }
        return Future.succeededFuture(answers);
    }

    static Memory memory(UUID id, MemoryDraft draft, long version) {
        return new Memory(id, draft, MemoryState.PENDING, 0, false, "aa", version, Instant.EPOCH, Instant.EPOCH);
    }

    @Override
    public synchronized Future<Memory> get(Scope scope, UUID id, Deadline deadline) {
        Memory memory = of(scope).get(id);
        return memory == null ? notFound() : Future.succeededFuture(memory);
    }

    private static <T> Future<T> notFound() {
        return Future.failedFuture(new FailureException(FailureCode.NOT_FOUND, "there is no such memory"));
    }

    @Override
    public synchronized Future<MemoryPage> list(Scope scope, MemoryQuery query, Deadline deadline) {
        queries.add(query);
        return Future.succeededFuture(new MemoryPage(List.copyOf(of(scope).values()), "next"));
    }

    @Override
    public synchronized Future<Memory> patch(Scope scope, UUID id, MemoryPatch patch, Deadline deadline) {
        Memory before = of(scope).get(id);
        if (before == null) {
            return notFound();
        }
        Memory after = memory(id, MemoryJson.apply(patch, before.draft()), before.version() + 1);
        of(scope).put(id, after);
        return Future.succeededFuture(after);
    }

    @Override
    public synchronized Future<Void> delete(Scope scope, UUID id, Deadline deadline) {
        return of(scope).remove(id) == null ? notFound() : Future.succeededFuture();
    }

    @Override
    public synchronized Future<Integer> deleteSession(Scope scope, String session, Deadline deadline) {
        int before = of(scope).size();
        of(scope).values().removeIf(memory -> session.equals(memory.draft().session()));
        return Future.succeededFuture(before - of(scope).size());
    }
}
