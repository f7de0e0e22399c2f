package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.PartResult;
import io.recallgate.embedding.protocol.PartTiming;
import io.recallgate.embedding.protocol.RowResult;
import io.recallgate.embedding.protocol.RunFailure;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.StartFailure;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.protocol.WorkerDrops;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker of the simulation: it keeps to the protocol, but loads, starts, runs, hangs, fails and dies as the seed will
 * have it. It knows what is true (what its thread really does), apart from what the dispatcher was told.
 */
final class SimWorker implements ToWorker.Handler {

    /** What it truly holds once it has loaded. */
    final long bytes;

    /** What the pool has to charge it with. */
    long charge;

    final boolean batchInvariant;
    final int slot;
    final long generation;
    final ModelIdentity model;
    boolean alive = true;
    /** What its thread is inside of now. */
    ToWorker.@Nullable Dispatch running;

    private final Simulation simulation;
    private final Random random;
    private final boolean controlSilent;
    private final Set<Long> cancelled = new HashSet<>();
    private final Set<Long> begun = new HashSet<>();
    private ToWorker.@Nullable Dispatch pending;
    private boolean loaded;
    private boolean hangs;
    private boolean retiring;
    private boolean terminating;

    SimWorker(Simulation simulation, int slot, long generation, String model) {
        this.simulation = simulation;
        this.random = simulation.random;
        this.slot = slot;
        this.generation = generation;
        this.model = new ModelIdentity(model, simulation.fingerprint(model), 2, 512);
        this.bytes = Simulation.WORKER_BYTES + (random.nextInt(21) - 10) * (1L << 20);
        this.batchInvariant = random.nextBoolean();
        this.controlSilent = random.nextInt(100) < 5;
    }

    void load() {
        int dice = simulation.isHealed() ? 0 : random.nextInt(100);
        if (dice < 82) {
            after(500, this::loaded);
        } else if (dice < 90) {
            after(500, () -> startFailed(StartFailure.RETRYABLE));
        } else if (dice < 91) {
            after(500, () -> startFailed(StartFailure.TERMINAL));
        } else if (dice < 95) {
            after(500, this::exit);
        } else {
            hangs = true;
        }
    }

    private void loaded() {
        loaded = true;
        say(new FromWorker.Ready(slot, generation, model, batchInvariant, 1, bytes, 1));
        exitIfFree();
    }

    private void startFailed(StartFailure failure) {
        exit();
        say(new FromWorker.StartFailed(slot, generation, failure, "simulated"));
    }

    @Override
    public void dispatch(ToWorker.Dispatch message) {
        if (!alive || retiring || cancelled.contains(message.sliceId())) {
            return;
        }
        Invariants.require(loaded, "work is sent to a worker that has loaded nothing");
        Invariants.require(pending == null && running == null, "work is sent to a busy worker");
        pending = message;
        int dice = simulation.isHealed() ? 0 : random.nextInt(100);
        if (dice < 90) {
            after(20, () -> begin(message));
        } else if (dice < 96) {
            after(15_000, () -> begin(message));
        } else {
            hangs = true;
        }
    }

    @Override
    public void cancelDispatch(ToWorker.CancelDispatch message) {
        notStarted(message.sliceId());
    }

    @Override
    public void terminate(ToWorker.Terminate message) {
        ToWorker.Dispatch run = running;
        if (run == null || run.sliceId() != message.sliceId()) {
            notStarted(message.sliceId());
        } else if (!hangs && !terminating) {
            terminating = true;
            after(
                    50,
                    () -> end(
                            run,
                            new FromWorker.Terminated(
                                    slot, generation, run.sliceId(), results(run, random.nextInt(9)))));
        }
    }

    @Override
    public void pause(ToWorker.Pause message) {
        ToWorker.Dispatch run = running;
        if (run != null && run.sliceId() == message.sliceId() && !batchInvariant && !hangs && !terminating) {
            after(
                    50,
                    () -> end(
                            run,
                            new FromWorker.Completed(
                                    slot, generation, run.sliceId(), results(run, 1 + random.nextInt(8)))));
        }
    }

    @Override
    public void shutdown(ToWorker.Shutdown message) {
        // The retirement that follows is what ends it.
    }

    void retire() {
        retiring = true;
        exitIfFree();
    }

    /** Whatever hung returns. */
    void heal() {
        if (!alive || !hangs) {
            return;
        }
        hangs = false;
        ToWorker.Dispatch waiting = pending;
        ToWorker.Dispatch run = running;
        if (run != null) {
            end(run, completed(run));
        } else if (!loaded) {
            loaded();
        } else if (waiting != null) {
            begin(waiting);
        }
        exitIfFree();
    }

    void crash() {
        if (alive) {
            exit();
        }
    }

    boolean isIdle() {
        return alive && loaded && running == null && pending == null;
    }

    private void notStarted(long sliceId) {
        if (alive && !begun.contains(sliceId) && !controlSilent && cancelled.add(sliceId)) {
            if (pending != null && pending.sliceId() == sliceId) {
                pending = null;
            }
            say(new FromWorker.Cancelled(slot, generation, sliceId));
        }
    }

    private void begin(ToWorker.Dispatch message) {
        if (!alive || pending == null || pending.sliceId() != message.sliceId() || hangs) {
            return;
        }
        pending = null;
        // From here on the control must not answer that it had not started.
        running = message;
        begun.add(message.sliceId());
        simulation.invariants().began(this, message);
        say(new FromWorker.Started(slot, generation, message.sliceId(), WorkerDrops.NONE));
        int dice = simulation.isHealed() ? 0 : random.nextInt(100);
        boolean stays = message.parts().stream()
                .anyMatch(part -> simulation.hangs(part.rows().get(0)));
        if (stays && !simulation.isHealed()) {
            hangs = true;
        } else if (dice < 70) {
            after(200, () -> end(message, completed(message)));
        } else if (dice < 78) {
            RunFailure failure = random.nextBoolean() ? RunFailure.OUT_OF_MEMORY : RunFailure.INTERNAL;
            after(
                    200,
                    () -> end(
                            message,
                            new FromWorker.Failed(
                                    slot,
                                    generation,
                                    message.sliceId(),
                                    failure,
                                    "simulated",
                                    results(message, random.nextInt(4)))));
        } else if (dice < 81) {
            after(200, this::crash);
        } else if (dice < 85) {
            hangs = true;
        } else if (dice < 93) {
            after(600_000, () -> end(message, completed(message)));
        } else if (dice < 96) {
            after(600, () -> end(message, completed(message)));
        } else {
            after(200, () -> end(message, lie(message)));
        }
    }

    private void end(ToWorker.Dispatch message, FromWorker answer) {
        if (!alive || running == null || running.sliceId() != message.sliceId()) {
            return;
        }
        running = null;
        terminating = false;
        hangs = false;
        simulation.invariants().ended(this, message);
        if (random.nextInt(20) == 0) {
            // An old report that arrives late must not shrink the charge again.
            say(new FromWorker.Grew(slot, generation, bytes + random.nextInt(10) * (1L << 20)));
        }
        say(answer);
        exitIfFree();
    }

    private void exitIfFree() {
        if (retiring && alive && loaded && running == null && !hangs) {
            after(400, this::exit);
        }
    }

    private void exit() {
        if (!alive) {
            return;
        }
        alive = false;
        ToWorker.Dispatch run = running;
        if (run != null) {
            running = null;
            simulation.invariants().ended(this, run);
        }
        pending = null;
        simulation.deliver(new PoolEvent.SlotExited(slot, generation));
    }

    private FromWorker.Completed completed(ToWorker.Dispatch message) {
        return new FromWorker.Completed(slot, generation, message.sliceId(), results(message, 99));
    }

    /** Ends the run with an answer that must not be believed: nothing in it is what was asked for. */
    private FromWorker.Completed lie(ToWorker.Dispatch message) {
        int kind = random.nextInt(4);
        List<PartResult> lies =
                results(message, 99).stream().map(part -> lie(part, kind)).toList();
        return new FromWorker.Completed(slot, generation, message.sliceId(), lies);
    }

    private static PartResult lie(PartResult part, int kind) {
        RowResult wrong = new RowResult(EmbeddingVector.of(0.6f, 0.8f), 3, false);
        RowResult wide = new RowResult(EmbeddingVector.of(0f, 0.6f, 0.8f), 3, false);
        List<RowResult> rows = Collections.nCopies(Math.max(1, part.rows().size()), wrong);
        return switch (kind) {
            case 0 -> new PartResult(part.operationId() + 1_000, part.rowOffset(), rows, null, PartTiming.NONE);
            case 1 -> new PartResult(part.operationId(), part.rowOffset() + 1, rows, null, PartTiming.NONE);
            case 2 ->
                new PartResult(
                        part.operationId(), part.rowOffset(), Collections.nCopies(99, wrong), null, PartTiming.NONE);
            default ->
                new PartResult(
                        part.operationId(),
                        part.rowOffset(),
                        Collections.nCopies(rows.size(), wide),
                        null,
                        PartTiming.NONE);
        };
    }

    private List<PartResult> results(ToWorker.Dispatch message, int rowsDone) {
        List<PartResult> results = new ArrayList<>();
        int left = rowsDone;
        for (SlicePart part : message.parts()) {
            List<RowResult> rows = part.rows().stream()
                    .limit(Math.max(0, left))
                    .map(input -> new RowResult(vector(model, input), 3, false))
                    .toList();
            left -= rows.size();
            boolean poison = simulation.isPoison(part.rows().get(0)) && !simulation.isHealed();
            results.add(
                    poison
                            ? new PartResult(
                                    part.operationId(), part.rowOffset(), List.of(), RunFailure.POISON, PartTiming.NONE)
                            : new PartResult(part.operationId(), part.rowOffset(), rows, null, PartTiming.NONE));
        }
        return results;
    }

    static EmbeddingVector vector(ModelIdentity model, EmbedInput input) {
        double angle = (model.fingerprint() + input.hashCode()).hashCode();
        return EmbeddingVector.of((float) Math.cos(angle), (float) Math.sin(angle));
    }

    private void say(FromWorker message) {
        simulation.deliver(new PoolEvent.WorkerSpoke(message));
    }

    private void after(int atMostMillis, Runnable run) {
        simulation.later(random.nextInt(1_000 * atMostMillis) * 1_000L, run);
    }
}
