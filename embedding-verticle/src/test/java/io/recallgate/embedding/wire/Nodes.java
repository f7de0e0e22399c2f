package io.recallgate.embedding.wire;

import io.vertx.core.Completable;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.AsyncMap;
import io.vertx.core.shareddata.Counter;
import io.vertx.core.shareddata.Lock;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.NodeListener;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.core.spi.cluster.RegistrationListener;
import io.vertx.core.spi.cluster.RegistrationUpdateEvent;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Several Vert.x instances of one test as nodes of one event bus: who is there and who listens where is kept in memory,
 * what they say to each other goes over TCP sockets of the loopback interface.
 */
final class Nodes {

    private final Map<String, NodeInfo> infos = new ConcurrentHashMap<>();
    private final Map<String, List<RegistrationInfo>> registrations = new ConcurrentHashMap<>();
    private final List<RegistrationListener> listeners = new CopyOnWriteArrayList<>();

    /** One more node. */
    ClusterManager node() {
        return new Node();
    }

    private List<RegistrationInfo> at(String address) {
        return registrations.computeIfAbsent(address, ignored -> new CopyOnWriteArrayList<>());
    }

    private void changed(String address) {
        RegistrationUpdateEvent event = new RegistrationUpdateEvent(address, List.copyOf(at(address)));
        listeners.stream()
                .filter(listener -> listener.wantsUpdatesFor(address))
                .forEach(listener -> listener.registrationsUpdated(event));
    }

    @SuppressWarnings("NullAway") // the interface of Vert.x says nothing about null
    private final class Node implements ClusterManager {

        private final String id = UUID.randomUUID().toString();
        private volatile boolean active;
        private volatile @Nullable NodeInfo info;
        private volatile @Nullable RegistrationListener listener;

        @Override
        public void init(Vertx vertx) {
            // Nothing of it is needed.
        }

        @Override
        public String getNodeId() {
            return id;
        }

        @Override
        public List<String> getNodes() {
            return List.copyOf(infos.keySet());
        }

        @Override
        public NodeInfo getNodeInfo() {
            return info;
        }

        @Override
        public void getNodeInfo(String node, Completable<NodeInfo> answer) {
            answer.succeed(infos.get(node));
        }

        @Override
        public void setNodeInfo(NodeInfo given, Completable<Void> answer) {
            info = given;
            infos.put(id, given);
            answer.succeed();
        }

        @Override
        public void join(Completable<Void> answer) {
            active = true;
            answer.succeed();
        }

        @Override
        public void leave(Completable<Void> answer) {
            active = false;
            infos.remove(id);
            listeners.remove(listener);
            answer.succeed();
        }

        @Override
        public boolean isActive() {
            return active;
        }

        @Override
        public void nodeListener(NodeListener given) {
            // Nobody leaves before the test ends.
        }

        @Override
        public void registrationListener(RegistrationListener given) {
            listener = given;
            listeners.add(given);
        }

        @Override
        public void addRegistration(String address, RegistrationInfo registration, Completable<Void> answer) {
            if (!registration.localOnly()) {
                at(address).add(registration);
                changed(address);
            }
            answer.succeed();
        }

        @Override
        public void removeRegistration(String address, RegistrationInfo registration, Completable<Void> answer) {
            if (at(address).remove(registration)) {
                changed(address);
            }
            answer.succeed();
        }

        @Override
        public void getRegistrations(String address, Completable<List<RegistrationInfo>> answer) {
            answer.succeed(List.copyOf(at(address)));
        }

        @Override
        public <K, V> void getAsyncMap(String name, Completable<AsyncMap<K, V>> answer) {
            answer.fail("not needed");
        }

        @Override
        public <K, V> Map<K, V> getSyncMap(String name) {
            return new ConcurrentHashMap<>();
        }

        @Override
        public void getLockWithTimeout(String name, long timeoutMillis, Completable<Lock> answer) {
            answer.fail("not needed");
        }

        @Override
        public void getCounter(String name, Completable<Counter> answer) {
            answer.fail("not needed");
        }
    }
}
