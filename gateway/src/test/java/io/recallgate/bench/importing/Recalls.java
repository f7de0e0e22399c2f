package io.recallgate.bench.importing;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.measure.Spans;
import io.recallgate.time.SystemClock;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Hybrid recalls at a steady rate, on a thread of their own, until it is closed. */
final class Recalls implements AutoCloseable {

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final GatewayClient client;
    private final ImportTexts questions;
    private final long everyNanos;
    private final Future<?> ticks;
    private final long begunNanos = SystemClock.INSTANCE.nanoTime();
    private final Work.Start begun = Work.begin();
    /** Guarded by this, as are the following. */
    private Spans spans = new Spans();

    private int degraded;
    private int asked;

    /** @param perSecond above 0 */
    Recalls(GatewayClient client, ImportTexts questions, double perSecond) {
        this.client = client;
        this.questions = questions;
        this.everyNanos = Math.round(TimeUnit.SECONDS.toNanos(1) / perSecond);
        this.ticks = thread.scheduleAtFixedRate(this::ask, 0, everyNanos, TimeUnit.NANOSECONDS);
    }

    /**
     * What was asked so far.
     *
     * @param spans from the moment that each was due, so that one that is held up counts for those behind it too
     * @param degraded answered from less than was asked for
     * @param work of this process meanwhile, a recall for a text
     */
    record Asked(Spans spans, int degraded, Work work) {}

    private void ask() {
        long due;
        synchronized (this) {
            due = begunNanos + asked++ * everyNanos;
        }
        // The timer is a little early at times.
        long start = Math.min(due, SystemClock.INSTANCE.nanoTime());
        Answer answer = client.post(
                "/v1/recall",
                new JsonObject()
                        .put("query", questions.question())
                        .put("mode", "hybrid")
                        .put("limit", 10));
        long nanos = SystemClock.INSTANCE.nanoTime() - start;
        // In the first moment of an import no memory has a vector yet, and an answer rightly says so.
        boolean less = answer.jsonOrFail().getValue("degraded") instanceof JsonObject degradation
                && !"model-mismatch".equals(degradation.getString("reason"));
        synchronized (this) {
            spans.add(nanos);
            degraded += less ? 1 : 0;
        }
    }

    /**
     * Ends the recalls.
     *
     * @throws ExecutionException if one was refused
     */
    synchronized Asked asked() throws ExecutionException, InterruptedException {
        if (ticks.isDone()) {
            ticks.get();
        }
        return new Asked(spans, degraded, begun.end(spans.size()));
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("a recall has not been answered for a minute");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
