package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.FakeClock;
import io.recallgate.time.Timers.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A dispatcher with a fake clock and scripted workers: performs its effects and records what was settled. */
final class PoolFixture implements Effect.Performer {

    static final ModelIdentity MODEL = new ModelIdentity("m", "f1", 2, 512);
    static final Duration LONG = Duration.ofHours(1);

    final FakeClock clock = new FakeClock();
    final Dispatcher dispatcher;
    final Map<Long, WaiterOutcome> outcomes = new LinkedHashMap<>();
    final List<ShutdownReport> reports = new ArrayList<>();
    final List<PoolNotice> notices = new ArrayList<>();
    private final Map<TimerKey, Timer> timers = new HashMap<>();
    private final Map<List<Long>, ScriptedWorker> workers = new HashMap<>();
    private long nextWaiter = 1;

    final PoolState inside;

    PoolFixture(PoolLimits limits) {
        this(limits, true);
    }

    /** @param strict whether illegal edges are thrown, as tests want them, or contained, as production does */
    PoolFixture(PoolLimits limits, boolean strict) {
        inside = new PoolState("m", limits, clock.nanoTime());
        dispatcher = new Dispatcher(inside, clock.nanoTime(), strict);
    }

    static PoolFixture withSlots(int slots) {
        return new PoolFixture(PoolLimits.defaults(slots));
    }

    /** Starts so many workers and lets them become ready. */
    PoolFixture warm(int count) {
        handle(new PoolEvent.WarmUp(count));
        for (int slot = 0; slot < count; slot++) {
            worker(slot).ready();
        }
        return this;
    }

    void handle(PoolEvent event) {
        dispatcher.handle(event, clock.nanoTime()).forEach(effect -> effect.performBy(this));
    }

    void say(FromWorker message) {
        handle(new PoolEvent.WorkerSpoke(message));
    }

    long query(String... texts) {
        return submit(InputType.QUERY, Priority.QUERY, LONG, texts);
    }

    long document(String... texts) {
        return submit(InputType.DOCUMENT, Priority.DOCUMENT, LONG, texts);
    }

    long submit(InputType type, Priority priority, Duration patience, String... texts) {
        return submit(type, priority, patience, null, List.of(texts));
    }

    long submit(
            InputType type, Priority priority, Duration patience, @Nullable CancelCause cancelled, List<String> texts) {
        long waiter = nextWaiter++;
        List<EmbedInput> inputs =
                texts.stream().<EmbedInput>map(EmbedInput.Text::new).toList();
        handle(new PoolEvent.Submit(
                waiter,
                inputs,
                null,
                inputs.stream().mapToLong(EmbedInput::chargedBytes).sum(),
                type,
                priority,
                clock.nanoTime() + patience.toNanos(),
                cancelled));
        return waiter;
    }

    void cancel(long waiter) {
        handle(new PoolEvent.CancelWaiter(waiter, CancelCause.CALLER));
    }

    /** The worker of the slot's present generation. */
    ScriptedWorker worker(int slot) {
        return worker(slot, slot(slot).generation());
    }

    ScriptedWorker worker(int slot, long generation) {
        return Objects.requireNonNull(workers.get(List.of((long) slot, generation)), "no such worker");
    }

    int workersMade() {
        return workers.size();
    }

    PoolSnapshot snapshot() {
        return dispatcher.snapshot(clock.nanoTime());
    }

    PoolSnapshot.SlotView slot(int slot) {
        return snapshot().slots().get(slot);
    }

    SlotState state(int slot) {
        return slot(slot).state();
    }

    long counter(String name) {
        return Objects.requireNonNull(snapshot().counters().get(name));
    }

    long dropped(String kind) {
        return snapshot().dropped().getOrDefault(kind, 0L);
    }

    boolean isSettled(long waiter) {
        return outcomes.containsKey(waiter);
    }

    EmbedResult result(long waiter) {
        assertThat(outcomes.get(waiter)).isInstanceOf(WaiterOutcome.Success.class);
        return ((WaiterOutcome.Success) Objects.requireNonNull(outcomes.get(waiter))).result();
    }

    FailureException failure(long waiter) {
        assertThat(outcomes.get(waiter)).isInstanceOf(WaiterOutcome.Failure.class);
        return ((WaiterOutcome.Failure) Objects.requireNonNull(outcomes.get(waiter))).failure();
    }

    FailureCode code(long waiter) {
        return failure(waiter).code();
    }

    static String[] rows(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(row -> prefix + row).toArray(String[]::new);
    }

    /** Ends the pool with workers that obey, lets all that is remembered grow old, and checks that nothing remains. */
    void endsClean() {
        handle(new PoolEvent.Shutdown());
        for (int rounds = 0; rounds < 4; rounds++) {
            List.copyOf(workers.values()).forEach(ScriptedWorker::giveUp);
            clock.advance(Duration.ofSeconds(30));
        }
        clock.advance(Duration.ofHours(25));
        handle(new PoolEvent.MemorySample(Long.MAX_VALUE));
        PoolSnapshot rest = snapshot();
        assertThat(rest.waiters()).as("waiters at rest").isZero();
        assertThat(rest.operations()).as("operations at rest").isZero();
        assertThat(rest.operationBytes()).as("bytes at rest").isZero();
        assertThat(rest.queries().depth() + rest.documents().depth())
                .as("queue")
                .isZero();
        assertThat(rest.gate().chargedBytes()).as("charged at rest").isZero();
        assertThat(rest.quarantined()).as("quarantined at rest").isZero();
        assertThat(dispatcher.tombstones()).as("tombstones at rest").isZero();
        assertThat(dispatcher.armedTimers()).as("timers armed at rest").isZero();
        assertThat(timers).as("timers at rest").isEmpty();
        assertThat(clock.pending()).as("timers pending at rest").isZero();
        assertThat(rest.counters()).containsEntry("illegal_edges", 0L).containsEntry("defects", 0L);
    }

    // ---- effects

    @Override
    public void startWorker(Effect.StartWorker effect) {
        ScriptedWorker old = workers.put(
                List.of((long) effect.slot(), effect.generation()),
                new ScriptedWorker(this, effect.slot(), effect.generation()));
        assertThat(old).as("a generation is started once").isNull();
    }

    @Override
    public void send(Effect.Send effect) {
        effect.message()
                .deliverTo(worker(effect.message().slot(), effect.message().generation()));
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
        Timer timer = timers.remove(effect.key());
        assertThat(timer).as("timer not armed: %s", effect.key()).isNotNull();
        Objects.requireNonNull(timer).cancel();
    }

    @Override
    public void settle(Effect.Settle effect) {
        WaiterOutcome before = outcomes.put(effect.waiter(), effect.outcome());
        assertThat(before).as("waiter %s settles once", effect.waiter()).isNull();
    }

    @Override
    public void retireWorker(Effect.RetireWorker effect) {
        worker(effect.slot(), effect.generation()).retireAsked = true;
    }

    @Override
    public void publish(Effect.Publish effect) {
        notices.add(effect.notice());
    }

    @Override
    public void shutdownDone(Effect.ShutdownDone effect) {
        reports.add(effect.report());
    }
}
