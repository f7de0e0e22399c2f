package io.recallgate.gateway.runtime;

import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.gateway.conversation.turn.TurnPreparation;
import io.recallgate.gateway.probe.Probe;
import io.recallgate.recall.api.JobService;
import io.recallgate.recall.api.MemoryService;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallStatistics;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Parts whose starts and stops the test completes, and which write down what happens to them. */
final class ScriptedParts {

    final List<String> events = new CopyOnWriteArrayList<>();
    final Promise<DatabaseOptions> database = Promise.promise();
    final Promise<MemoryPart.Opened> memory = Promise.promise();
    final Promise<Void> embedding = Promise.promise();
    Future<Void> embeddingStop = Future.succeededFuture();
    Future<Void> ping = Future.succeededFuture();
    String embeddingStatus = "ready";

    static DatabaseOptions somewhere() {
        return DatabaseOptions.parse("postgresql://u:p@127.0.0.1:5432/d");
    }

    void databaseIsUp() {
        database.complete(somewhere());
    }

    void memoryIsOpen() {
        memory.complete(new OpenedMemory());
    }

    Parts parts() {
        return new Parts(new Database(), (options, embedder) -> noted("open memory", memory.future()), new Embedding());
    }

    private <T> Future<T> noted(String event, Future<T> result) {
        events.add(event);
        return result;
    }

    private final class Database implements DatabasePart {
        @Override
        public Future<DatabaseOptions> start() {
            return noted("start database", database.future());
        }

        @Override
        public Future<Void> stop() {
            return noted("stop database", Future.succeededFuture());
        }

        @Override
        public String describe() {
            return "scripted";
        }
    }

    private final class Embedding implements EmbeddingPart {
        private final NoEmbedding.Nobody nobody = new NoEmbedding.Nobody();

        @Override
        public Future<Void> start() {
            return noted("start embedding", embedding.future());
        }

        @Override
        public Embedder embedder() {
            return nobody;
        }

        @Override
        public WorkerOperations workers() {
            return nobody;
        }

        @Override
        public JsonObject health() {
            return new JsonObject().put("status", embeddingStatus);
        }

        @Override
        public Future<Void> stop() {
            return noted("stop embedding", embeddingStop);
        }
    }

    private final class OpenedMemory implements MemoryPart.Opened {
        @Override
        public MemoryService memories() {
            return unused(MemoryService.class);
        }

        @Override
        public JobService jobs() {
            return unused(JobService.class);
        }

        @Override
        public RecallService recall() {
            return unused(RecallService.class);
        }

        @Override
        public RecallStatistics statistics() {
            return unused(RecallStatistics.class);
        }

        @Override
        public TurnPreparation turns() {
            return unused(TurnPreparation.class);
        }

        @Override
        public List<Probe> probes() {
            return List.of();
        }

        @Override
        public JsonObject facts() {
            return new JsonObject().put("schema", "1").put("server", "17.5").put("trigrams", "no-extension");
        }

        @Override
        public Future<Void> ping(Deadline deadline) {
            return noted("ping", ping);
        }

        @Override
        public Future<Void> stopJobs() {
            return noted("stop jobs", Future.succeededFuture());
        }

        @Override
        public Future<Void> close() {
            return noted("close memory", Future.succeededFuture());
        }

        /** The gateway hands services on without touching them. */
        private static <T> T unused(Class<T> service) {
            return service.cast(Proxy.newProxyInstance(
                    service.getClassLoader(), new Class<?>[] {service}, (proxy, method, arguments) -> {
                        throw new AssertionError("not expected: " + method);
                    }));
        }
    }
}
