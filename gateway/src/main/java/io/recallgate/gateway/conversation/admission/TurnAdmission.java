package io.recallgate.gateway.conversation.admission;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.caller.Caller;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.admission.Admission.Effect;
import io.recallgate.gateway.conversation.admission.Admission.Why;
import io.recallgate.gateway.metrics.GatewayMetric;
import io.recallgate.metrics.Meters;
import io.recallgate.recall.api.Scope;
import io.recallgate.time.Alarm;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Places for turns, as {@link Admission} gives them. May be asked on any thread; an answer comes on the Vert.x context that
 * asked.
 */
public final class TurnAdmission {

    /** A place is had for the length of an answer, so that one that is not there now is not there in a moment either. */
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final Clock clock;
    private final Meters meters;

    // All below is guarded by this.

    private final Admission admission;
    private final Alarm alarm;
    private final Map<Long, Asking> asking = new HashMap<>();
    private long asked;

    /** A turn's place. */
    @FunctionalInterface
    public interface Place {
        /** Gives it back; harmless when repeated. */
        void release();
    }

    private record Asking(Promise<Place> answer, long sinceNanos) {}

    /** @param registry shows how many are active and wait */
    public TurnAdmission(AdmissionLimits limits, Clock clock, Timers timers, MeterRegistry registry) {
        this.clock = clock;
        this.meters = new Meters(registry);
        GatewayMetric.TURN_REFUSED.all(registry);
        GatewayMetric.TURN_WAIT_DURATION.timer(registry);
        this.admission = new Admission(limits);
        this.alarm = new Alarm(clock, timers);
        GatewayMetric.TURN_ACTIVE.gauge(registry, this, all -> all.locked(Admission::active));
        GatewayMetric.TURN_WAITING.gauge(registry, this, all -> all.locked(Admission::waiting));
    }

    private synchronized int locked(ToIntFunction<Admission> value) {
        return value.applyAsInt(admission);
    }

    /**
     * Asks for a place.
     *
     * @param session null for none
     * @param cancel when nobody wants it any more; a place that was had by then is still to be released
     * @return fails with {@code overloaded} or {@code cancelled}
     */
    public Future<Place> admit(Scope scope, @Nullable String session, CancelSignal cancel) {
        Promise<Place> mine = Caller.promise();
        long id;
        synchronized (this) {
            id = ++asked;
            asking.put(id, new Asking(mine, clock.nanoTime()));
        }
        on(now -> admission.arrived(id, scope, session, now));
        // Not before it has arrived: a signal that has fired already takes it away here and now.
        CancelSignal.Registration registration = cancel.onCancel(cause -> leave(id));
        return mine.future().onComplete(settled -> registration.remove());
    }

    /** One that waits; whoever has a place already gives it back by itself. */
    private void leave(long id) {
        on(now -> {
            Asking waiting = asking.remove(id);
            if (waiting == null) {
                return List.of();
            }
            waiting.answer.tryFail(new FailureException(FailureCode.CANCELLED, "nobody waits for this turn any more"));
            return admission.left(id);
        });
    }

    /** Tells what happened, and does what is answered: callers outside the lock. */
    private void on(LongFunction<List<Effect>> event) {
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            long now = clock.nanoTime();
            for (Effect effect : event.apply(now)) {
                Asking asked = asking.remove(effect.turn());
                if (asked == null) {
                    throw new IllegalStateException("nobody asks for turn " + effect.turn());
                }
                Promise<Place> promise = asked.answer;
                if (effect instanceof Effect.Refuse refuse) {
                    meters.counter(GatewayMetric.TURN_REFUSED, label(refuse.why()))
                            .increment();
                    answers.add(() -> promise.fail(refusal(refuse.why())));
                } else {
                    meters.timer(GatewayMetric.TURN_WAIT_DURATION).record(Duration.ofNanos(now - asked.sinceNanos));
                    answers.add(() -> promise.complete(() -> on(then -> admission.left(effect.turn()))));
                }
            }
            alarm.set(admission.wakeAt(), this::timeIsUp);
        }
        answers.forEach(Runnable::run);
    }

    private void timeIsUp(long which) {
        on(now -> {
            alarm.rang(which);
            return admission.timeIsUp(now);
        });
    }

    private static String label(Why why) {
        return why.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static FailureException refusal(Why why) {
        String detail =
                switch (why) {
                    case FULL -> "too many conversations wait";
                    case OWNER_FULL -> "too many conversations of this owner wait";
                    case SESSION_FULL -> "too many turns of this session wait; send the next when one is answered";
                    case WAITED -> "too many conversations are being answered; no place became free in time";
                };
        return new FailureException(FailureCode.OVERLOADED, detail).retryAfter(RETRY);
    }
}
