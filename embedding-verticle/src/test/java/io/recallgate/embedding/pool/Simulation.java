package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.time.CancelCause;
import io.recallgate.time.FakeClock;
import io.recallgate.time.Timers.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of arrivals, cancels, deadlines, starts, crashes, hangs, late, repeated and reordered messages, lies,
 * memory failures, replacement, restart and shutdown, all drawn from one seed: the same seed is the same schedule.
 * {@link Invariants} holds the dispatcher to what must be true after every event and at rest. Owned by one thread.
 */
final class Simulation implements Effect.Performer {

    static final long WORKER_BYTES = 50L << 20;
    static final int SLOTS = 3;

    /** Steps of a schedule: enough for every slot to fail, cool down and serve again. */
    static final int STEPS = 150;

    /** More events than any sound schedule has: those that feed themselves for ever end here. */
    private static final int MOST_EVENTS = 200_000;

    final Random random;
    final FakeClock clock = new FakeClock();
    final PoolLimits limits;
    final PoolState pool;
    final Dispatcher dispatcher;
    /** Armed timers and when they fire. */
    final Map<TimerKey, Armed> timers = new HashMap<>();
    /** In the order of their coming, so that a draw from it depends on nothing but the seed. */
    final Map<Long, PoolEvent.Submit> unsettled = new LinkedHashMap<>();
    /** The worker that each slot is charged with. */
    final @Nullable SimWorker[] charged = new SimWorker[SLOTS];

    final List<SimWorker> workers = new ArrayList<>();
    final List<ShutdownReport> reports = new ArrayList<>();
    long budget = Long.MAX_VALUE;
    int settled;

    private final Invariants invariants;
    private final Flavour flavour;
    private final Map<String, Integer> files = new HashMap<>();
    private boolean healed;
    private long nextWaiter = 1;
    private int events;

    record Armed(long at, Timer timer) {}

    /**
     * What a schedule has much of: without it the rare meetings stay rare.
     *
     * @param texts how many different pieces of work there are
     * @param hanging texts that never come back from a worker on their own
     * @param poisoned texts whose first row cannot be embedded
     * @param replacements of a thousand steps
     * @param longPauses of a thousand steps, minutes long
     * @param tight whether memory is measured often
     * @param forgetful whether expiries and results are forgotten soon for want of room
     * @param patient whether some callers wait longer than any watchdog
     */
    private record Flavour(
            int texts,
            Set<Integer> hanging,
            Set<Integer> poisoned,
            int replacements,
            int longPauses,
            boolean tight,
            boolean forgetful,
            boolean patient) {
        static Flavour drawn(Random random) {
            int texts = random.nextInt(4) == 0 ? 3 : 12;
            return new Flavour(
                    texts,
                    random.nextInt(3) == 0 ? Set.of(random.nextInt(texts)) : Set.of(),
                    random.nextInt(3) == 0 ? Set.of(random.nextInt(texts)) : Set.of(),
                    random.nextInt(4) == 0 ? 60 : 8,
                    random.nextInt(3) == 0 ? 80 : 15,
                    random.nextInt(3) == 0,
                    random.nextInt(3) == 0,
                    random.nextInt(3) == 0);
        }
    }

    Simulation(long seed) {
        random = new Random(seed);
        flavour = Flavour.drawn(random);
        limits = limits(flavour.forgetful());
        pool = new PoolState("m", limits, clock.nanoTime());
        dispatcher = new Dispatcher(pool, clock.nanoTime(), true);
        invariants = new Invariants(this, flavour.forgetful());
    }

    private static PoolLimits limits(boolean forgetful) {
        PoolLimits defaults = PoolLimits.defaults(SLOTS);
        return new PoolLimits(
                SLOTS,
                WORKER_BYTES,
                new PoolLimits.Queue(14, 200, 10, 166, 3, 4),
                new PoolLimits.Slice(8, 200, 60),
                defaults.watchdogs(),
                defaults.retry(),
                new PoolLimits.Retention(2, Duration.ofMinutes(5), forgetful ? 4 : 64, Duration.ofHours(24)));
    }

    /**
     * Runs the schedule; returns how many waiters settled.
     *
     * @throws AssertionError if something is not as it must be
     */
    int run() {
        for (int step = 0; step < STEPS; step++) {
            advance(pause());
            act();
        }
        boolean shutDown = random.nextBoolean();
        if (shutDown) {
            handle(new PoolEvent.Shutdown());
            advance(Duration.ofSeconds(12).plusMillis(1));
            Invariants.require(!reports.isEmpty(), "a shutdown does not end within its bounds");
        }
        healed = true;
        budget = Long.MAX_VALUE;
        handle(new PoolEvent.MemorySample(budget));
        handle(new PoolEvent.WarmUp(0));
        heal();
        if (!pool.closed) {
            PoolEvent.Submit probe = submission(99, 1, Duration.ofMinutes(50).toNanos(), null);
            submit(probe);
            heal();
            invariants.served(probe);
        }
        advance(Duration.ofHours(25));
        invariants.nothingRemains();
        return settled;
    }

    private void heal() {
        for (int rounds = 0; rounds < 5; rounds++) {
            List.copyOf(workers).forEach(SimWorker::heal);
            advance(Duration.ofMinutes(12));
        }
    }

    private void advance(Duration span) {
        clock.advance(span);
        invariants.timely();
    }

    private Duration pause() {
        int dice = random.nextInt(1_000);
        if (dice < flavour.longPauses()) {
            return Duration.ofMillis(random.nextInt(700_000));
        }
        return dice < 100 ? Duration.ofMillis(random.nextInt(15_000)) : Duration.ofNanos(random.nextInt(200_000_000));
    }

    private void act() {
        int dice = random.nextInt(1_000);
        if (dice < 600) {
            arrive();
        } else if (dice < 780 && !unsettled.isEmpty()) {
            List<Long> waiters = List.copyOf(unsettled.keySet());
            handle(new PoolEvent.CancelWaiter(waiters.get(random.nextInt(waiters.size())), CancelCause.CALLER));
        } else if (dice < (flavour.tight() ? 830 : 800)) {
            budget = random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(200) * (1L << 20);
            handle(new PoolEvent.MemorySample(budget));
        } else if (dice < 845) {
            handle(new PoolEvent.WarmUp(random.nextInt(SLOTS + 1)));
        } else if (dice < 860) {
            handle(new PoolEvent.RestartSlot(random.nextInt(SLOTS)));
        } else if (dice < 870) {
            workers.stream().filter(SimWorker::isIdle).findFirst().ifPresent(SimWorker::crash);
        } else if (dice < 880) {
            List.copyOf(workers).forEach(SimWorker::heal);
        } else if (dice < 881) {
            handle(new PoolEvent.Shutdown());
        } else if (dice < 883) {
            changeFiles();
        } else if (dice < 883 + flavour.replacements()) {
            if (random.nextInt(3) == 0) {
                changeFiles();
            }
            String model = random.nextBoolean() ? "m" : "n";
            handle(new PoolEvent.ReplaceModel(model, fingerprint(model)));
        }
    }

    /** Somebody puts other files into a model's directory: workers that start from now on hold another model. */
    private void changeFiles() {
        files.merge(random.nextBoolean() ? "m" : "n", 1, Integer::sum);
    }

    /** What a worker that loads this model now has in its hands. */
    String fingerprint(String model) {
        return model + " files " + files.getOrDefault(model, 0);
    }

    private void arrive() {
        int text = random.nextInt(flavour.texts());
        long patience = random.nextInt(20) == 0 ? 0 : random.nextInt(60_000_000) * 1_000L;
        if (flavour.patient() && random.nextInt(4) == 0) {
            patience *= 20;
        }
        submit(submission(
                text,
                text % 4 == 3 ? 20 : 1 + text % 3,
                patience,
                random.nextInt(50) == 0 ? CancelCause.DISCONNECTED : null));
    }

    private PoolEvent.Submit submission(int text, int rows, long patience, @Nullable CancelCause cancelled) {
        List<EmbedInput> inputs = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            inputs.add(new EmbedInput.Text((char) ('a' + text % 26) + "" + row));
        }
        return new PoolEvent.Submit(
                nextWaiter++,
                inputs,
                null,
                // Any number will do for the dispatcher; these fill the small queue of a schedule row by row.
                inputs.stream()
                        .mapToLong(input -> ((EmbedInput.Text) input).text().length())
                        .sum(),
                text % 2 == 0 ? InputType.QUERY : InputType.DOCUMENT,
                random.nextBoolean() ? Priority.QUERY : Priority.DOCUMENT,
                clock.nanoTime() + patience,
                cancelled);
    }

    private void submit(PoolEvent.Submit submit) {
        unsettled.put(submit.waiter(), submit);
        handle(submit);
    }

    boolean isHealed() {
        return healed;
    }

    /** Whether a worker never comes back from this row on its own. */
    boolean hangs(EmbedInput row) {
        return flavour.hanging().contains(text(row));
    }

    boolean isPoison(EmbedInput row) {
        return flavour.poisoned().contains(text(row));
    }

    private static int text(EmbedInput row) {
        return ((EmbedInput.Text) row).text().charAt(0) - 'a';
    }

    Invariants invariants() {
        return invariants;
    }

    /** A message on its way: it may be slow, overtake others and come twice. */
    void deliver(PoolEvent event) {
        int copies = random.nextInt(10) == 0 ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            int dice = random.nextInt(100);
            int micros = dice < 94 ? 2_000 : dice < 99 ? 2_000_000 : 30_000_000;
            later(random.nextInt(micros) * 1_000L, () -> handle(event));
        }
    }

    void later(long nanos, Runnable run) {
        clock.schedule(nanos, run);
    }

    private void handle(PoolEvent event) {
        Invariants.require(++events < MOST_EVENTS, "the schedule does not come to an end");
        long now = clock.nanoTime();
        invariants.before(event, now);
        for (Effect effect : dispatcher.handle(event, now)) {
            effect.performBy(this);
        }
        invariants.after(event);
    }

    // ---- effects

    @Override
    public void startWorker(Effect.StartWorker effect) {
        SimWorker worker = new SimWorker(this, effect.slot(), effect.generation(), effect.model());
        invariants.starts(worker);
        charged[effect.slot()] = worker;
        workers.add(worker);
        worker.load();
    }

    @Override
    public void send(Effect.Send effect) {
        invariants.sends(effect.message());
        SimWorker worker = worker(effect.message().slot(), effect.message().generation());
        later(random.nextInt(3_000) * 1_000L, () -> effect.message().deliverTo(worker));
    }

    private SimWorker worker(int slot, long generation) {
        for (int i = workers.size() - 1; i >= 0; i--) {
            SimWorker worker = workers.get(i);
            if (worker.slot == slot && worker.generation == generation) {
                return worker;
            }
        }
        throw new AssertionError("no worker " + slot + "." + generation);
    }

    @Override
    public void armTimer(Effect.ArmTimer effect) {
        TimerKey key = effect.key();
        invariants.arms(key, effect.atNanos());
        Timer timer = clock.schedule(effect.atNanos() - clock.nanoTime(), () -> {
            timers.remove(key);
            handle(new PoolEvent.TimerFired(key));
        });
        Invariants.require(timers.put(key, new Armed(effect.atNanos(), timer)) == null, "a timer is armed twice");
    }

    @Override
    public void disarmTimer(Effect.DisarmTimer effect) {
        Armed armed = timers.remove(effect.key());
        if (armed == null) {
            throw new AssertionError("a timer that is not armed is disarmed: " + effect.key());
        }
        armed.timer().cancel();
    }

    @Override
    public void settle(Effect.Settle effect) {
        PoolEvent.Submit submit = unsettled.remove(effect.waiter());
        if (submit == null) {
            throw new AssertionError("waiter " + effect.waiter() + " settles twice");
        }
        settled++;
        invariants.settles(submit, effect.outcome());
    }

    @Override
    public void retireWorker(Effect.RetireWorker effect) {
        SimWorker worker = worker(effect.slot(), effect.generation());
        invariants.retires(worker);
        later(1_000, worker::retire);
    }

    @Override
    public void publish(Effect.Publish effect) {
        // Notices are for people; nothing hangs on them.
    }

    @Override
    public void shutdownDone(Effect.ShutdownDone effect) {
        invariants.ends(effect.report());
        reports.add(effect.report());
    }
}
