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
import java.util.List;

/** A worker that does what the test says and nothing else: it blocks, finishes, fails, dies and lies on command. */
final class ScriptedWorker implements ToWorker.Handler {

    final int slot;
    final long generation;
    final List<ToWorker.Dispatch> dispatches = new ArrayList<>();
    final List<ToWorker.CancelDispatch> cancels = new ArrayList<>();
    final List<ToWorker.Terminate> terminates = new ArrayList<>();
    final List<ToWorker.Pause> pauses = new ArrayList<>();
    boolean shutdownAsked;
    boolean retireAsked;
    boolean gone;

    private final PoolFixture pool;

    ScriptedWorker(PoolFixture pool, int slot, long generation) {
        this.pool = pool;
        this.slot = slot;
        this.generation = generation;
    }

    @Override
    public void dispatch(ToWorker.Dispatch message) {
        dispatches.add(message);
    }

    @Override
    public void cancelDispatch(ToWorker.CancelDispatch message) {
        cancels.add(message);
    }

    @Override
    public void terminate(ToWorker.Terminate message) {
        terminates.add(message);
    }

    @Override
    public void pause(ToWorker.Pause message) {
        pauses.add(message);
    }

    @Override
    public void shutdown(ToWorker.Shutdown message) {
        shutdownAsked = true;
    }

    /** The slice that was sent last. */
    ToWorker.Dispatch last() {
        return dispatches.get(dispatches.size() - 1);
    }

    void ready() {
        ready(PoolFixture.MODEL);
    }

    void ready(ModelIdentity model) {
        pool.say(new FromWorker.Ready(slot, generation, model, false, 0.98, 50L << 20, 1));
    }

    void failStart(StartFailure failure) {
        pool.say(new FromWorker.StartFailed(slot, generation, failure, "scripted"));
        exit();
    }

    void start() {
        start(WorkerDrops.NONE);
    }

    /** Starts the last slice and tells what was dropped until then. */
    void start(WorkerDrops drops) {
        pool.say(new FromWorker.Started(slot, generation, last().sliceId(), drops));
    }

    void complete() {
        pool.say(completion(last()));
    }

    void run() {
        start();
        complete();
    }

    FromWorker.Completed completion(ToWorker.Dispatch dispatch) {
        return new FromWorker.Completed(slot, generation, dispatch.sliceId(), results(dispatch, Integer.MAX_VALUE));
    }

    /** Leaves the slice off, with so many rows done. */
    void leaveOff(int rowsDone) {
        pool.say(new FromWorker.Completed(slot, generation, last().sliceId(), results(last(), rowsDone)));
    }

    void fail(RunFailure failure) {
        pool.say(new FromWorker.Failed(slot, generation, last().sliceId(), failure, "scripted", List.of()));
    }

    /** The part with this number fails at its first row, its neighbours do not. */
    void completeWithPoison(int part) {
        List<PartResult> results = new ArrayList<>(results(last(), Integer.MAX_VALUE));
        PartResult poisoned = results.get(part);
        results.set(
                part,
                new PartResult(
                        poisoned.operationId(), poisoned.rowOffset(), List.of(), RunFailure.POISON, PartTiming.NONE));
        pool.say(new FromWorker.Completed(slot, generation, last().sliceId(), results));
    }

    void acknowledgeCancel() {
        pool.say(new FromWorker.Cancelled(slot, generation, last().sliceId()));
    }

    /** Ends the slice natively, with so many rows done. */
    void acknowledgeTermination(int rowsDone) {
        pool.say(termination(last(), rowsDone));
    }

    FromWorker.Terminated termination(ToWorker.Dispatch dispatch, int rowsDone) {
        return new FromWorker.Terminated(slot, generation, dispatch.sliceId(), results(dispatch, rowsDone));
    }

    void exit() {
        gone = true;
        pool.handle(new PoolEvent.SlotExited(slot, generation));
    }

    /** Obeys at last: whatever it does, it comes to an end. */
    void giveUp() {
        if (!gone && retireAsked) {
            exit();
        } else if (!gone && !terminates.isEmpty()) {
            acknowledgeTermination(0);
        } else if (!gone && !cancels.isEmpty()) {
            acknowledgeCancel();
        }
    }

    /** The vector that this test's model has for a text. */
    static EmbeddingVector vector(String text) {
        double angle = text.hashCode();
        return EmbeddingVector.of((float) Math.cos(angle), (float) Math.sin(angle));
    }

    static List<PartResult> results(ToWorker.Dispatch dispatch, int rowsDone) {
        List<PartResult> results = new ArrayList<>();
        int left = rowsDone;
        for (SlicePart part : dispatch.parts()) {
            List<RowResult> rows = part.rows().stream()
                    .limit(Math.max(0, left))
                    .map(ScriptedWorker::row)
                    .toList();
            left -= rows.size();
            results.add(new PartResult(part.operationId(), part.rowOffset(), rows, null, new PartTiming(1, 2)));
        }
        return results;
    }

    private static RowResult row(EmbedInput input) {
        String text = ((EmbedInput.Text) input).text();
        return new RowResult(vector(text), text.length(), text.endsWith("!"));
    }
}
