package io.recallgate.gateway.probe;

import io.recallgate.time.Alarm;
import io.recallgate.time.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A gate on a fake clock, whose attempts take as long as a test says. Owned by the test's thread. */
final class GateFixture {

    static final ProbeKey KEY = new ProbeKey("openai", "m", "f1", 3);
    static final ProbeKey OTHER = new ProbeKey("openai", "m2", "f2", 3);

    final FakeClock clock;
    final ProbeGate gate = new ProbeGate("probe", 0);
    ProbeOptions options = ProbeOptions.DEFAULTS;
    ProbeKey key = KEY;
    /** What the next attempts cost, and how they end. */
    Supplier<Script> next = () -> Script.healthy(Duration.ofMillis(100));

    /** When attempts began, in milliseconds since the fixture was made. */
    final List<Long> began = new ArrayList<>();

    final Map<Long, Delivery> deliveries = new HashMap<>();
    final List<ProbeWarning> warned = new ArrayList<>();
    private final long origin;
    private final Alarm alarm;
    private long lastFlight;
    private long waiters;

    /**
     * An attempt.
     *
     * @param span until it settles, null for never
     */
    record Script(@Nullable Duration span, ProbeOutcome outcome) {
        static Script healthy(Duration span) {
            return new Script(span, ProbeOutcome.healthy("hybrid"));
        }

        static Script failed(Duration span) {
            return new Script(span, ProbeOutcome.failed("embedding-unavailable", "refused"));
        }

        static Script abandoned(Duration span) {
            return new Script(
                    span, ProbeOutcome.failed("deadline-exceeded", "late").abandoned(true));
        }

        static Script never() {
            return new Script(null, ProbeOutcome.healthy(null));
        }
    }

    GateFixture() {
        this(new FakeClock());
    }

    GateFixture(FakeClock clock) {
        this.clock = clock;
        this.origin = clock.nanoTime();
        this.alarm = new Alarm(clock, clock);
    }

    void start() {
        tell(new ProbeEvent.Start(key));
    }

    void stop() {
        tell(new ProbeEvent.Stop());
    }

    /** Runs it by hand, with more patience than any budget of these tests. */
    long run() {
        return run(Duration.ofHours(1));
    }

    long run(Duration wait) {
        long waiter = ++waiters;
        tell(new ProbeEvent.RunNow(waiter, key, wait.toNanos()));
        return waiter;
    }

    void settle(ProbeOutcome outcome) {
        tell(new ProbeEvent.Settled(lastFlight, outcome));
    }

    void tell(ProbeEvent event) {
        for (ProbeEffect effect : gate.on(event, clock.nanoTime(), options)) {
            if (effect instanceof ProbeEffect.Launch launch) {
                launch(launch);
            } else if (effect instanceof ProbeEffect.Deliver deliver) {
                deliveries.put(deliver.waiter(), deliver.delivery());
            } else if (effect instanceof ProbeEffect.Warn warn) {
                warned.add(warn.warning());
            }
        }
        long epoch = gate.epoch();
        alarm.set(gate.nextNanos(clock.nanoTime()), which -> {
            alarm.rang(which);
            tell(new ProbeEvent.Tick(epoch, key));
        });
    }

    /** No tick reaches the gate any more: its schedule is dead. */
    void silence() {
        alarm.set(OptionalLong.empty(), which -> {});
    }

    private void launch(ProbeEffect.Launch launch) {
        began.add(elapsedMillis());
        lastFlight = launch.flight();
        Script script = next.get();
        if (script.span() != null) {
            clock.schedule(
                    script.span().toNanos(), () -> tell(new ProbeEvent.Settled(launch.flight(), script.outcome())));
        }
    }

    void advance(Duration span) {
        clock.advance(span);
    }

    long elapsedMillis() {
        return Duration.ofNanos(clock.nanoTime() - origin).toMillis();
    }

    ProbeView view() {
        return gate.view();
    }

    ProbeHealth health() {
        return HealthProjection.of(gate.view(), key, null, clock.nanoTime());
    }

    /** Beginnings in whole seconds. */
    List<Long> beganSeconds() {
        return began.stream().map(millis -> millis / 1_000).toList();
    }

    long skipped(SkipCause cause) {
        return view().counts().skipped().getOrDefault(cause, 0L);
    }
}
