package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.time.CancelCause;
import io.recallgate.time.FakeClock;
import io.recallgate.time.Timers.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

/**
 * One schedule of arrivals, cancels, deadlines, starts, crashes, hangs, late, repeated and reordered messages, memory
 * failures, replacement, restart and shutdown, all drawn from one seed. Holds the dispatcher to what must be true after
 * every event and at rest.
 */
final class Simulation implements Effect.Performer {

    static final long WORKER_BYTES = 50L << 20;

    private static final int SLOTS = 3;

    private final Random random;
    private final FakeClock clock = new FakeClock();
    private final PoolLimits limits = limits();
    private final Dispatcher dispatcher;
    private final Map<TimerKey, Timer> timers = new HashMap<>();
    private final Map<List<Long>, SimWorker> workers = new HashMap<>();
    private final Map<Long, PoolEvent.Submit> unsettled = new HashMap<>();
    private final Set<Long> operationsRunning = new HashSet<>();
    private final Set<String> workRunning = new HashSet<>();
    private final List<ShutdownReport> reports = new ArrayList<>();
    private long nextWaiter = 1;
    private long budget = Long.MAX_VALUE;
    private boolean healed;
    private int settled;

    Simulation(long seed) {
        random = new Random(seed);
        dispatcher = new Dispatcher(new PoolState("m", limits, clock.nanoTime()), clock.nanoTime(), true);
    }

    private static PoolLimits limits() {
        PoolLimits defaults = PoolLimits.defaults(SLOTS);
        return new PoolLimits(
                SLOTS,
                WORKER_BYTES,
                new PoolLimits.Queue(14, 600, 10, 500, 3, 4),
                defaults.slice(),
                defaults.watchdogs(),
                defaults.retry(),
                new PoolLimits.Retention(2, Duration.ofMinutes(5), 4, Duration.ofHours(24)));
    }

    /** Runs the schedule; returns how many waiters settled. */
    int run(int steps) {
        for (int step = 0; step < steps; step++) {
            clock.advance(pause());
            act();
        }
        boolean shutDown = random.nextBoolean();
        if (shutDown) {
            handle(new PoolEvent.Shutdown());
            clock.advance(Duration.ofSeconds(12).plusMillis(1));
            assertThat(reports).as("a shutdown ends within its bounds").isNotEmpty();
        }
        healed = true;
        budget = Long.MAX_VALUE;
        handle(new PoolEvent.MemorySample(budget));
        handle(new PoolEvent.WarmUp(0));
        for (int rounds = 0; rounds < 5; rounds++) {
            List.copyOf(workers.values()).forEach(SimWorker::heal);
            clock.advance(Duration.ofMinutes(12));
        }
        clock.advance(Duration.ofHours(25));
        nothingRemains();
        return settled;
    }

    private Duration pause() {
        int dice = random.nextInt(200);
        if (dice < 190) {
            return Duration.ofNanos(random.nextInt(200_000_000));
        }
        return dice < 197 ? Duration.ofMillis(random.nextInt(15_000)) : Duration.ofMillis(random.nextInt(700_000));
    }

    private void act() {
        int dice = random.nextInt(1_000);
        if (dice < 620) {
            submit();
        } else if (dice < 800 && !unsettled.isEmpty()) {
            List<Long> waiters = unsettled.keySet().stream().sorted().toList();
            handle(new PoolEvent.CancelWaiter(waiters.get(random.nextInt(waiters.size())), CancelCause.CALLER));
        } else if (dice < 830) {
            budget = random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(200) * (1L << 20);
            handle(new PoolEvent.MemorySample(budget));
        } else if (dice < 845) {
            handle(new PoolEvent.WarmUp(random.nextInt(SLOTS + 1)));
        } else if (dice < 855) {
            handle(new PoolEvent.ReplaceModel(random.nextBoolean() ? "m" : "n"));
        } else if (dice < 870) {
            handle(new PoolEvent.RestartSlot(random.nextInt(SLOTS)));
        } else if (dice < 880) {
            sortedWorkers().stream().filter(SimWorker::isIdle).findFirst().ifPresent(SimWorker::crash);
        } else if (dice < 890) {
            sortedWorkers().forEach(SimWorker::heal);
        } else if (dice < 891) {
            handle(new PoolEvent.Shutdown());
        }
    }

    private void submit() {
        List<EmbedInput> inputs = new ArrayList<>();
        int text = random.nextInt(12);
        int rows = text % 4 == 3 ? 20 : 1 + text % 3;
        for (int row = 0; row < rows; row++) {
            inputs.add(new EmbedInput.Text("t" + text + row));
        }
        long patience = random.nextInt(20) == 0 ? 0 : random.nextInt(60_000_000) * 1_000L;
        PoolEvent.Submit submit = new PoolEvent.Submit(
                nextWaiter++,
                inputs,
                null,
                text % 2 == 0 ? InputType.QUERY : InputType.DOCUMENT,
                random.nextBoolean() ? Priority.QUERY : Priority.DOCUMENT,
                clock.nanoTime() + patience,
                random.nextInt(50) == 0 ? CancelCause.DISCONNECTED : null);
        unsettled.put(submit.waiter(), submit);
        handle(submit);
    }

    private List<SimWorker> sortedWorkers() {
        return workers.values().stream()
                .sorted((a, b) -> a.slot != b.slot ? a.slot - b.slot : Long.compare(a.generation, b.generation))
                .toList();
    }

    boolean isHealed() {
        return healed;
    }

    /** A message on its way: it may be slow, overtake others and come twice. */
    void deliver(PoolEvent event) {
        int copies = random.nextInt(10) == 0 ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            later(random.nextInt(random.nextInt(20) == 0 ? 2_000_000 : 2_000) * 1_000L, () -> handle(event));
        }
    }

    void later(long nanos, Runnable run) {
        clock.schedule(nanos, run);
    }

    void began(SimWorker worker, ToWorker.Dispatch dispatch) {
        assertThat(dispatch.rows()).isLessThanOrEqualTo(limits.slice().rows());
        for (SlicePart part : dispatch.parts()) {
            assertThat(operationsRunning.add(part.operationId()))
                    .as("operation %s runs twice at once", part.operationId())
                    .isTrue();
            assertThat(workRunning.add(work(worker, part)))
                    .as("the same work runs twice at once: %s", part)
                    .isTrue();
        }
    }

    void ended(SimWorker worker, ToWorker.Dispatch dispatch) {
        for (SlicePart part : dispatch.parts()) {
            operationsRunning.remove(part.operationId());
            workRunning.remove(work(worker, part));
        }
    }

    /** The text is enough to tell this simulation's operations apart: each begins every row with its own number. */
    private static String work(SimWorker worker, SlicePart part) {
        String text = ((EmbedInput.Text) part.rows().get(0)).text();
        String own = text.substring(
                0, text.length() - Integer.toString(part.rowOffset()).length());
        return worker.model.name() + part.inputType() + own;
    }

    private void handle(PoolEvent event) {
        dispatcher.handle(event, clock.nanoTime()).forEach(effect -> effect.performBy(this));
        PoolSnapshot now = dispatcher.snapshot(clock.nanoTime());
        PoolLimits.Queue queue = limits.queue();
        assertThat(now.operations()).isBetween(0, queue.operations());
        assertThat(now.operationBytes()).isBetween(0L, queue.bytes());
        assertThat(now.waiters()).isEqualTo(unsettled.size());
        assertThat(now.waiters()).isLessThanOrEqualTo(now.operations() * queue.waitersPerOperation());
        assertThat(now.retained()).isLessThanOrEqualTo(limits.retention().results());
        assertThat(now.quarantined()).isLessThanOrEqualTo(SLOTS * limits.slice().rows() * 2);
        for (SimWorker worker : workers.values()) {
            if (worker.alive) {
                PoolSnapshot.SlotView slot = now.slots().get(worker.slot);
                assertThat(slot.generation()).isEqualTo(worker.generation);
                assertThat(slot.chargedBytes())
                        .as("worker %s.%s is charged", worker.slot, worker.generation)
                        .isEqualTo(WORKER_BYTES);
            }
        }
    }

    private void nothingRemains() {
        PoolSnapshot rest = dispatcher.snapshot(clock.nanoTime());
        assertThat(unsettled).as("waiters that never settled").isEmpty();
        assertThat(rest.waiters()).isZero();
        assertThat(rest.operations()).isZero();
        assertThat(rest.operationBytes()).isZero();
        assertThat(rest.quarantined()).isZero();
        assertThat(dispatcher.armedTimers()).as("%s", timers.keySet()).isZero();
        assertThat(timers).isEmpty();
        assertThat(clock.pending()).isZero();
        assertThat(dispatcher.tombstones()).isZero();
        long alive = workers.values().stream().filter(worker -> worker.alive).count();
        assertThat(rest.gate().chargedBytes()).isEqualTo(alive * WORKER_BYTES);
        assertThat(operationsRunning).isEmpty();
    }

    // ---- effects

    @Override
    public void startWorker(Effect.StartWorker effect) {
        assertThat(dispatcher.snapshot(clock.nanoTime()).gate().chargedBytes()).isLessThanOrEqualTo(budget);
        SimWorker worker = new SimWorker(this, random, effect.slot(), effect.generation(), effect.model());
        assertThat(workers.put(List.of((long) effect.slot(), effect.generation()), worker))
                .isNull();
        worker.load();
    }

    @Override
    public void send(Effect.Send effect) {
        SimWorker worker = Objects.requireNonNull(workers.get(
                List.of((long) effect.message().slot(), effect.message().generation())));
        later(random.nextInt(3_000) * 1_000L, () -> effect.message().deliverTo(worker));
    }

    @Override
    public void armTimer(Effect.ArmTimer effect) {
        TimerKey key = effect.key();
        Timer old = timers.put(key, clock.schedule(effect.atNanos() - clock.nanoTime(), () -> {
            timers.remove(key);
            handle(new PoolEvent.TimerFired(key));
        }));
        assertThat(old).as("timer armed twice: %s", key).isNull();
    }

    @Override
    public void disarmTimer(Effect.DisarmTimer effect) {
        Objects.requireNonNull(timers.remove(effect.key())).cancel();
    }

    @Override
    public void settle(Effect.Settle effect) {
        PoolEvent.Submit submit = unsettled.remove(effect.waiter());
        assertThat(submit).as("waiter %s settles once", effect.waiter()).isNotNull();
        PoolEvent.Submit known = Objects.requireNonNull(submit);
        boolean startedLate = known.deadlineNanos() - clock.nanoTime() < 0;
        assertThat(startedLate)
                .as("waiter %s settles after its deadline", effect.waiter())
                .isFalse();
        settled++;
        if (effect.outcome() instanceof WaiterOutcome.Success success) {
            EmbedResult result = success.result();
            assertThat(result.vectors())
                    .isEqualTo(known.inputs().stream()
                            .map(input -> SimWorker.vector(result.model(), input))
                            .toList());
        }
    }

    @Override
    public void retireWorker(Effect.RetireWorker effect) {
        SimWorker worker = Objects.requireNonNull(workers.get(List.of((long) effect.slot(), effect.generation())));
        later(1_000, worker::retire);
    }

    @Override
    public void publish(Effect.Publish effect) {
        assertThat(effect.notice()).isNotNull();
    }

    @Override
    public void shutdownDone(Effect.ShutdownDone effect) {
        reports.add(effect.report());
    }
}
