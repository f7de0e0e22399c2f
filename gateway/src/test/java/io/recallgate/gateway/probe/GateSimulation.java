package io.recallgate.gateway.probe;

import io.recallgate.time.FakeClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One random schedule of a gate: attempts of any cost and end, runs by hand, changes of model and settings, stops and
 * starts, late and lost ticks, results that come twice or never. {@link GateLedger} keeps its own books and checks them
 * after each step. The same seed is the same schedule.
 */
final class GateSimulation {

    private static final int STEPS = 250;

    private final SplittableRandom random;
    private final FakeClock clock = new FakeClock();
    private final ProbeGate gate = new ProbeGate("probe", TimeUnit.SECONDS.toNanos(5));
    private final GateLedger ledger;
    private final Map<Long, ProbeOutcome> outcomes = new HashMap<>();
    private ProbeOptions options;
    private ProbeKey key = new ProbeKey("openai", "m0", "f0", 3);
    private long waiters;
    private long timers;
    /** No tick is delivered while it is set. */
    private boolean deaf;

    GateSimulation(long seed) {
        random = new SplittableRandom(seed);
        options = options();
        ledger = new GateLedger(clock);
    }

    /** The first thing that is wrong in so many schedules from seed 1 on, null if nothing is. */
    static @Nullable String firstFailure(long schedules) {
        for (long seed = 1; seed <= schedules; seed++) {
            try {
                new GateSimulation(seed).run();
            } catch (RuntimeException | AssertionError wrong) {
                return "seed " + seed + ": " + wrong.getMessage();
            }
        }
        return null;
    }

    /** @return how many attempts there were */
    long run() {
        tell(new ProbeEvent.Start(key));
        for (int i = 0; i < STEPS; i++) {
            step();
            ledger.look(gate.view(), key, options);
        }
        deaf = false;
        tell(new ProbeEvent.Stop());
        ledger.ended();
        return ledger.attempts();
    }

    private void step() {
        switch (random.nextInt(20)) {
            case 0 -> tell(new ProbeEvent.RunNow(++waiters, key, nanos(random.nextInt(120_000))));
            case 1 -> tell(new ProbeEvent.RunNow(++waiters, key, nanos(1_000_000)));
            case 2 -> {
                if (waiters > 0) {
                    tell(new ProbeEvent.Leave(1 + random.nextLong(waiters)));
                }
            }
            case 3 -> {
                if (random.nextInt(3) == 0) {
                    key = otherKey();
                }
            }
            case 4 -> {
                if (random.nextInt(3) == 0) {
                    tell(new ProbeEvent.Stop());
                }
            }
            case 5, 6 -> tell(new ProbeEvent.Start(key));
            case 7 -> {
                if (random.nextInt(4) == 0) {
                    options = options();
                }
            }
            case 8 -> again();
            case 9 -> {
                if (random.nextInt(6) == 0) {
                    deaf = !deaf;
                    tellLater();
                }
            }
            // One of a schedule that has ended.
            case 10 -> tell(new ProbeEvent.Tick(gate.epoch() - 1, key));
            default -> advance();
        }
    }

    private void advance() {
        long cadence = Math.max(1_000, options.cadenceMillis());
        clock.advanceMillis(
                random.nextInt(4) == 0 ? random.nextLong(8 * cadence) : random.nextLong(Math.max(1, cadence / 3)));
    }

    /** A result that came before comes again, or one of an attempt that never was. */
    private void again() {
        long flight = random.nextLong(2 + outcomes.size());
        ProbeOutcome outcome = outcomes.get(flight);
        if (flight != ledger.live()) {
            tell(new ProbeEvent.Settled(flight, outcome == null ? ProbeOutcome.failed("nobody", "") : outcome));
        }
    }

    private ProbeOptions options() {
        long cadence = random.nextInt(12) == 0 ? 0 : 1_000L + random.nextInt(119_000);
        double duty = random.nextInt(8) == 0 ? 1 : 0.05 + 0.9 * random.nextDouble();
        long backoff = 1_000L + random.nextInt(60_000);
        return new ProbeOptions(
                cadence,
                duty,
                1_000L + random.nextInt(60_000),
                backoff,
                backoff * (1 + random.nextInt(30)),
                random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 0);
    }

    private ProbeKey otherKey() {
        int model = random.nextInt(3);
        return random.nextInt(3) == 0
                ? ProbeKey.named("openai", "m" + model)
                : new ProbeKey("openai", "m" + model, "f" + random.nextInt(2), 3);
    }

    private void tell(ProbeEvent event) {
        ledger.before(event, key, options);
        List<ProbeEffect> effects = gate.on(event, clock.nanoTime(), options);
        for (ProbeEffect effect : effects) {
            ledger.saw(effect);
            if (effect instanceof ProbeEffect.Launch launch) {
                launch(launch);
            }
        }
        ledger.after(gate.view());
        tellLater();
    }

    private void tellLater() {
        long mine = ++timers;
        long epoch = gate.epoch();
        gate.nextNanos(clock.nanoTime()).ifPresent(next -> {
            // Now and then a little late, as on a busy machine; never by as much as would be silence.
            long late = random.nextInt(5) == 0 ? nanos(random.nextInt(900)) : 0;
            clock.schedule(next - clock.nanoTime() + late, () -> {
                if (mine == timers && !deaf) {
                    tell(new ProbeEvent.Tick(epoch, key));
                    ledger.look(gate.view(), key, options);
                }
            });
        });
    }

    private void launch(ProbeEffect.Launch launch) {
        long budget = launch.budgetNanos();
        ProbeOutcome bad = ProbeOutcome.failed("embedding-failed", "");
        switch (random.nextInt(12)) {
            case 0, 1 -> settles(launch, budget, bad.abandoned(true));
            case 2 -> settles(launch, random.nextLong(budget), bad.abandoned(true));
            case 3 -> settles(launch, budget, bad);
            case 4, 5 -> settles(launch, nanos(5), bad);
            case 6 -> settles(launch, random.nextLong(budget), ProbeOutcome.healthy("hybrid"));
            case 7 -> settles(launch, random.nextLong(20 * budget), ProbeOutcome.healthy("hybrid"));
            case 8 -> settles(launch, nanos(1), ProbeOutcome.cancelled());
            default -> settles(launch, random.nextLong(nanos(2_000)), ProbeOutcome.healthy("hybrid"));
        }
    }

    private void settles(ProbeEffect.Launch launch, long span, ProbeOutcome outcome) {
        outcomes.put(launch.flight(), outcome);
        clock.schedule(span, () -> tell(new ProbeEvent.Settled(launch.flight(), outcome)));
    }

    private static long nanos(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}
