package io.recallgate.embedding;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.model.TextModelFactory;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.wire.WorkerCodec;
import io.recallgate.embedding.worker.WorkerAddress;
import io.recallgate.embedding.worker.WorkerControl;
import io.recallgate.embedding.worker.WorkerHandle;
import io.recallgate.embedding.worker.WorkerVerticle;
import io.recallgate.time.Clock;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deploys, addresses and undeploys the workers of one pool. Confined to the pool's turns.
 *
 * <p>Workers are deployed from a context that belongs to no verticle. Deployed as children of the pool's verticle, one
 * that never returns would keep the pool itself from stopping.
 */
final class WorkerFleet {

    private static final Logger log = LoggerFactory.getLogger(WorkerFleet.class);

    private final Vertx vertx;
    private final Executor turns;
    private final Context parentless;
    private final TextModelFactory factory;
    private final Settings settings;
    private final Map<Key, Member> members = new HashMap<>();

    /**
     * What every worker is given.
     *
     * @param poolName in every address
     * @param longest a load or a run beyond it is logged by Vert.x
     * @param clock measures spans
     */
    record Settings(String poolName, Duration longest, Clock clock) {}

    /** Told what becomes of workers, in turns of the pool. */
    interface Listener {
        /** A worker said how a slice ended, or could not even be deployed. */
        void spoke(FromWorker message);

        /** A worker is gone. */
        void exited(int slot, long generation);
    }

    WorkerFleet(Vertx vertx, Executor turns, TextModelFactory factory, Settings settings) {
        this.vertx = vertx;
        this.turns = turns;
        this.parentless = ((VertxInternal) vertx).createEventLoopContext();
        this.factory = factory;
        this.settings = settings;
    }

    /** Which model a name or directory stands for, its files checked. Blocks: for worker threads. */
    ModelIdentity identify(String model) {
        return factory.identify(model);
    }

    void start(int slot, long generation, String model, Listener listener) {
        WorkerAddress address = new WorkerAddress(settings.poolName, slot, generation);
        Member member = new Member(new WorkerHandle(address, message -> turns.execute(() -> listener.spoke(message))));
        members.put(new Key(slot, generation), member);
        DeploymentOptions options = new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName(address.threads())
                .setWorkerPoolSize(1)
                .setMaxWorkerExecuteTime(settings.longest.toMillis())
                .setMaxWorkerExecuteTimeUnit(TimeUnit.MILLISECONDS);
        parentless.runOnContext(ignored -> vertx.deployVerticle(new WorkerControl(member.handle))
                .onSuccess(id -> turns.execute(() -> member.controlId = id))
                .compose(id -> vertx.deployVerticle(
                        new WorkerVerticle(member.handle, factory, model, settings.clock), options))
                .onSuccess(id -> turns.execute(() -> deployed(member, id)))
                .onFailure(error -> turns.execute(() -> notDeployed(slot, generation, error, listener))));
    }

    private void deployed(Member member, String id) {
        member.deploymentId = id;
        FromWorker.Ready ready = member.handle.ready();
        if (ready != null) {
            vertx.eventBus().send(WorkerAddress.dispatcher(settings.poolName), ready, WorkerCodec.options());
        }
        if (member.retiring) {
            undeploy(id);
        }
    }

    /** A worker that failed to load has said so itself; this is for one that did not get that far. */
    private void notDeployed(int slot, long generation, Throwable error, Listener listener) {
        Member member = members.get(new Key(slot, generation));
        if (member == null || member.handle.hasSpoken()) {
            return;
        }
        log.warn("worker {} generation {} could not be deployed", slot, generation, error);
        member.handle.discard();
        listener.spoke(new FromWorker.StartFailed(
                slot,
                generation,
                StartFailure.RETRYABLE,
                "deployment failed: " + error.getClass().getSimpleName()));
        listener.exited(slot, generation);
    }

    void send(ToWorker message) {
        Member member = members.get(new Key(message.slot(), message.generation()));
        if (member == null) {
            return; // gone: nobody would hear it
        }
        String target = message instanceof ToWorker.Dispatch ? member.work : member.control;
        vertx.eventBus().send(target, message, WorkerCodec.options());
    }

    /** Never waited for: a worker inside native code undeploys when it comes out. */
    void retire(int slot, long generation) {
        Member member = members.get(new Key(slot, generation));
        if (member == null || member.retiring) {
            return;
        }
        member.retiring = true;
        if (member.deploymentId != null) {
            undeploy(member.deploymentId);
        }
    }

    /** The worker holds nothing any more. */
    void exited(int slot, long generation) {
        Member member = members.remove(new Key(slot, generation));
        if (member != null && member.controlId != null) {
            undeploy(member.controlId);
        }
    }

    /** What the loaded model of this worker showed, null if none is loaded. */
    @Nullable
    ModelProfile profile(int slot, long generation) {
        Member member = members.get(new Key(slot, generation));
        return member == null ? null : member.handle.profile();
    }

    /** Where a worker's thread is now, for the log about one that does not return. */
    String whereabouts(int slot, long generation) {
        Member member = members.get(new Key(slot, generation));
        return member == null ? "" : member.handle.whereabouts();
    }

    private void undeploy(String id) {
        // Fails only if it is undeployed already, as when the whole Vert.x instance closes.
        parentless.runOnContext(ignored -> vertx.undeploy(id)
                .onFailure(error -> log.debug("undeploying {} was not needed: {}", id, error.toString())));
    }

    private record Key(int slot, long generation) {}

    private static final class Member {
        private final WorkerHandle handle;
        private final String work;
        private final String control;
        private @Nullable String controlId;
        private @Nullable String deploymentId;
        private boolean retiring;

        Member(WorkerHandle handle) {
            this.handle = handle;
            this.work = handle.address().work();
            this.control = handle.address().control();
        }
    }
}
