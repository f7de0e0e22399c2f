package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.measure.Spans;
import io.recallgate.time.Clock;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends recalls to one gateway from several clients, each call when it is due, or as soon as a client is free. Every
 * recall has to be answered with success. Used by one thread.
 */
final class CallLoad {

    private static final long LOOK_EVERY_MILLIS = 100;

    private final GatewayClient client;
    private final Clock clock;
    private final Pauses pauses;

    /** @param client asks once, so that a refusal is seen */
    CallLoad(GatewayClient client, Clock clock, Pauses pauses) {
        this.client = client;
        this.clock = clock;
        this.pauses = pauses;
    }

    /**
     * One recall.
     *
     * @param mode as the request names it
     * @param question its query
     * @param deadlineMillis of the request, null for none of its own
     * @param memo whether a vector from before will do
     * @param dueNanos since the load began; zero for as soon as a client is free
     */
    record Call(String mode, String question, @Nullable Long deadlineMillis, boolean memo, long dueNanos) {

        private JsonObject body() {
            JsonObject body = new JsonObject()
                    .put("query", question)
                    .put("mode", mode)
                    .put("limit", 10)
                    .put("memo", memo);
            return deadlineMillis == null ? body : body.put("deadline_ms", deadlineMillis);
        }
    }

    /**
     * Its answer.
     *
     * @param call what was asked
     * @param nanos from sending to the whole answer
     * @param lateNanos after it was due that it was sent
     * @param serverNanos as the gateway timed it, null if it did not tell
     * @param reason why it was served as less, null if it was not
     */
    record Outcome(
            Call call,
            long nanos,
            long lateNanos,
            @Nullable Long serverNanos,
            @Nullable String reason) {}

    /**
     * All answers, in no order that means anything.
     *
     * @param outcomes one for each call
     */
    record Outcomes(List<Outcome> outcomes) {

        Outcomes {
            outcomes = List.copyOf(outcomes);
        }

        /** Spans of those that are meant. */
        Spans spans(Predicate<Call> meant) {
            Spans spans = new Spans();
            outcomes.stream().filter(one -> meant.test(one.call())).forEach(one -> spans.add(one.nanos()));
            return spans;
        }

        /** The same as the gateway timed them. */
        Spans serverSpans(Predicate<Call> meant) {
            Spans spans = new Spans();
            for (Outcome one : outcomes) {
                Long nanos = one.serverNanos();
                if (nanos != null && meant.test(one.call())) {
                    spans.add(nanos);
                }
            }
            return spans;
        }

        /** How many were served as less, by reason. */
        Map<String, Integer> reasons() {
            Map<String, Integer> reasons = new TreeMap<>();
            for (Outcome one : outcomes) {
                if (one.reason() != null) {
                    reasons.merge(one.reason(), 1, Integer::sum);
                }
            }
            return reasons;
        }

        /** The longest that a call was sent after it was due. */
        double lateMillis() {
            return outcomes.stream().mapToLong(Outcome::lateNanos).max().orElse(0)
                    / (double) TimeUnit.MILLISECONDS.toNanos(1);
        }
    }

    /**
     * Sends all and waits for all.
     *
     * @param calls in the order in which they are due
     * @param clients that each wait for their answer before they take the next call
     * @throws CommandFailedException if one is refused, or this thread is interrupted
     */
    Outcomes run(List<Call> calls, int clients, Progress progress) {
        AtomicInteger next = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        long began = clock.nanoTime();
        try {
            List<Future<List<Outcome>>> running = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                running.add(threads.submit(() -> sendAll(calls, next, done, began)));
            }
            // One that failed has ended before its time, and the others are not waited for.
            while (running.stream().anyMatch(one -> !one.isDone())
                    && running.stream().noneMatch(CallLoad::hasFailed)) {
                progress.show(done.get(), calls.size(), "calls");
                pauses.pauseMillis(LOOK_EVERY_MILLIS);
                if (Thread.currentThread().isInterrupted()) {
                    throw new CommandFailedException("interrupted while measuring");
                }
            }
            List<Outcome> all = new ArrayList<>();
            for (Future<List<Outcome>> one : running) {
                if (one.isDone()) {
                    all.addAll(result(one));
                }
            }
            progress.show(done.get(), calls.size(), "calls");
            return new Outcomes(all);
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean hasFailed(Future<List<Outcome>> one) {
        if (!one.isDone()) {
            return false;
        }
        try {
            result(one);
            return false;
        } catch (CommandFailedException e) {
            // It is thrown again where the results are taken.
            return true;
        }
    }

    private static List<Outcome> result(Future<List<Outcome>> one) {
        try {
            return one.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CommandFailedException told
                    ? told
                    : new CommandFailedException("a client failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while measuring", e);
        }
    }

    private static @Nullable Long serverNanos(JsonObject envelope) {
        return envelope.getValue("timing_ms") instanceof JsonObject timing
                        && timing.getValue("total") instanceof Number millis
                ? Math.round(millis.doubleValue() * TimeUnit.MILLISECONDS.toNanos(1))
                : null;
    }

    private List<Outcome> sendAll(List<Call> calls, AtomicInteger next, AtomicInteger done, long began) {
        List<Outcome> outcomes = new ArrayList<>();
        for (int at = next.getAndIncrement(); at < calls.size(); at = next.getAndIncrement()) {
            Call call = calls.get(at);
            long wait = began + call.dueNanos() - clock.nanoTime();
            if (wait > 0) {
                pauses.pauseMillis(TimeUnit.NANOSECONDS.toMillis(wait) + 1);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new CommandFailedException("interrupted while measuring");
            }
            long late = call.dueNanos() == 0 ? 0 : Math.max(0, clock.nanoTime() - began - call.dueNanos());
            Answer answer = client.post("/v1/recall", call.body());
            JsonObject envelope = answer.jsonOrFail();
            String reason =
                    envelope.getValue("degraded") instanceof JsonObject degraded ? degraded.getString("reason") : null;
            outcomes.add(new Outcome(call, answer.nanos(), late, serverNanos(envelope), reason));
            done.incrementAndGet();
        }
        return outcomes;
    }
}
