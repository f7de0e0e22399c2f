package io.recallgate.embedding;

import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.protocol.WorkerExit;
import io.recallgate.embedding.wire.WorkerCodec;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * Sees every message between a pool and its workers on the real bus, holds some back, and sends more of its own.
 * Thread-safe.
 */
final class BusTap implements Handler<DeliveryContext<Object>> {

    private final Vertx vertx;
    private final List<Seen> seen = new ArrayList<>();
    private final List<Expected> expected = new ArrayList<>();
    private final List<Held> holds = new ArrayList<>();

    private record Seen(String address, Object message) {}

    private record Expected(Predicate<Object> fits, CompletableFuture<Object> promise) {}

    /** Messages that are held back. */
    final class Held {
        private final Predicate<Object> fits;
        private final List<DeliveryContext<Object>> kept = new ArrayList<>();
        private boolean released;

        private Held(Predicate<Object> fits) {
            this.fits = fits;
        }

        /** Delivers what was held, in its order, and holds nothing any more. */
        void release() {
            List<DeliveryContext<Object>> all;
            synchronized (BusTap.this) {
                released = true;
                all = List.copyOf(kept);
            }
            all.forEach(DeliveryContext::next);
        }
    }

    BusTap(Vertx vertx) {
        this.vertx = vertx;
        vertx.eventBus().addOutboundInterceptor(this);
    }

    @Override
    public void handle(DeliveryContext<Object> delivery) {
        Object body = delivery.body();
        if (!(body instanceof ToWorker || body instanceof FromWorker || body instanceof WorkerExit)) {
            delivery.next();
            return;
        }
        List<Expected> fulfilled = new ArrayList<>();
        boolean held = false;
        synchronized (this) {
            seen.add(new Seen(delivery.message().address(), body));
            expected.removeIf(one -> one.fits.test(body) && fulfilled.add(one));
            for (Held hold : holds) {
                if (!held && !hold.released && hold.fits.test(body)) {
                    hold.kept.add(delivery);
                    held = true;
                }
            }
        }
        if (!held) {
            delivery.next();
        }
        fulfilled.forEach(one -> one.promise.complete(body));
    }

    /** Holds back what fits and is sent from now on. */
    synchronized Held hold(Predicate<Object> fits) {
        Held hold = new Held(fits);
        holds.add(hold);
        return hold;
    }

    /** Waits for the first message that fits, sent before or to come. */
    <M> M await(Class<M> type, Predicate<M> fits) {
        Predicate<Object> both = message -> type.isInstance(message) && fits.test(type.cast(message));
        CompletableFuture<Object> promise = new CompletableFuture<>();
        synchronized (this) {
            seen.stream()
                    .map(Seen::message)
                    .filter(both)
                    .findFirst()
                    .ifPresentOrElse(promise::complete, () -> expected.add(new Expected(both, promise)));
        }
        try {
            return type.cast(promise.get(100, TimeUnit.SECONDS));
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("no " + type.getSimpleName() + " came", e);
        }
    }

    <M> M await(Class<M> type) {
        return await(type, message -> true);
    }

    /** All messages of a type so far, in their order. */
    synchronized <M> List<M> all(Class<M> type) {
        return seen.stream()
                .map(Seen::message)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    /** The address to which the first message of this type went. */
    synchronized String addressOf(Class<?> type) {
        return seen.stream()
                .filter(one -> type.isInstance(one.message()))
                .map(Seen::address)
                .findFirst()
                .orElseThrow();
    }

    /** Says something to the pool as a worker would. */
    void tellPool(Object message) {
        vertx.eventBus().send(addressOf(FromWorker.Ready.class), message, WorkerCodec.options());
    }

    /** Says something to a worker or its control as the pool would. */
    void tell(String address, ToWorker message) {
        vertx.eventBus().send(address, message, WorkerCodec.options());
    }
}
