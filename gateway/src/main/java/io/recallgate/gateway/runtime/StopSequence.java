package io.recallgate.gateway.runtime;

import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbered steps, one after the other, each with a bound. A step that fails or takes too long is reported and the next
 * one follows: half a stop is worse than a stop with a report. Runs once, on the context that calls it.
 */
final class StopSequence {

    private static final Logger LOG = LoggerFactory.getLogger(StopSequence.class);

    private final Timers timers;
    private final List<Step> steps = new ArrayList<>();
    private final List<String> unconfirmed = new ArrayList<>();

    StopSequence(Timers timers) {
        this.timers = timers;
    }

    /**
     * A step.
     *
     * @param name for the report
     * @param boundMillis how long it may take
     * @param action starts it; its future tells the end
     */
    private record Step(String name, long boundMillis, Supplier<Future<?>> action) {}

    /** Adds a step behind the others. */
    StopSequence then(String name, long boundMillis, Supplier<Future<?>> action) {
        steps.add(new Step(name, boundMillis, action));
        return this;
    }

    /** Takes the steps; the result names those whose end could not be confirmed. Never fails. */
    Future<List<String>> run() {
        Promise<List<String>> done = Promise.promise();
        step(0, done);
        return done.future();
    }

    private void step(int index, Promise<List<String>> done) {
        if (index == steps.size()) {
            done.complete(List.copyOf(unconfirmed));
            return;
        }
        Step step = steps.get(index);
        LOG.debug("stop {}/{}: {}", index + 1, steps.size(), step.name());
        Promise<Void> ended = Promise.promise();
        Timers.Timer timer = timers.schedule(
                TimeUnit.MILLISECONDS.toNanos(step.boundMillis()),
                () -> ended.tryFail("not within " + step.boundMillis() + " ms"));
        start(step).onComplete(value -> ended.tryComplete(), ended::tryFail);
        ended.future().onComplete(result -> {
            timer.cancel();
            if (result.failed()) {
                unconfirmed.add(step.name());
                LOG.warn(
                        "stop: {} could not be confirmed: {}",
                        step.name(),
                        result.cause().getMessage());
            }
            step(index + 1, done);
        });
    }

    private static Future<?> start(Step step) {
        try {
            return step.action().get();
        } catch (RuntimeException defect) {
            LOG.error("stop: {} failed", step.name(), defect);
            return Future.failedFuture(defect);
        }
    }
}
