package io.recallgate.embedding.worker;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.model.RunFailedException;
import io.recallgate.embedding.model.RunTerminatedException;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.model.TokenizedRow;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.PartResult;
import io.recallgate.embedding.protocol.PartTiming;
import io.recallgate.embedding.protocol.RowResult;
import io.recallgate.embedding.protocol.RunFailure;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.ToWorker.Dispatch;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs one slice on a model. Rows share a native run only if the model is batch-invariant; otherwise they run one by
 * one, and between them the slice can end. One object for each slice; used on the worker's thread.
 */
final class SliceRunner {

    private final TextModel model;
    private final Clock clock;
    private final Orders orders;
    private final Dispatch dispatch;
    private final List<Part> parts = new ArrayList<>();

    /**
     * What comes meanwhile; each is asked with the id of the slice.
     *
     * @param isTerminating whether it was told to end
     * @param isPausing whether it was told to leave off between two rows
     */
    record Orders(LongPredicate isTerminating, LongPredicate isPausing) {}

    /** @param orders asked between rows */
    SliceRunner(TextModel model, Clock clock, Orders orders, Dispatch dispatch) {
        this.model = model;
        this.clock = clock;
        this.orders = orders;
        this.dispatch = dispatch;
        dispatch.parts().forEach(part -> parts.add(new Part(part)));
    }

    /** Runs it. Never throws for anything an input or the runtime does. */
    FromWorker run() {
        try {
            List<Row> waiting = new ArrayList<>();
            for (Part part : parts) {
                for (int i = 0; i < part.source.rows().size(); i++) {
                    collect(part, i, waiting);
                }
            }
            runAll(waiting);
            return new FromWorker.Completed(dispatch.slot(), dispatch.generation(), dispatch.sliceId(), results(false));
        } catch (RunTerminatedException e) {
            return orders.isTerminating().test(dispatch.sliceId())
                    ? new FromWorker.Terminated(
                            dispatch.slot(), dispatch.generation(), dispatch.sliceId(), results(true))
                    : failed(RunFailure.INTERNAL, "the run was ended from outside");
        } catch (RunFailedException e) {
            return failed(e.isOutOfMemory() ? RunFailure.OUT_OF_MEMORY : RunFailure.INTERNAL, e.detail());
        } catch (FailureException e) {
            return failed(RunFailure.INTERNAL, e.detail());
        }
    }

    private void collect(Part part, int index, List<Row> waiting) throws RunTerminatedException {
        if (part.failure != null) {
            return;
        }
        checkTerminating();
        long before = clock.nanoTime();
        try {
            TokenizedRow tokens = model.tokenize(part.source.rows().get(index), part.source.inputType());
            waiting.add(new Row(part, tokens));
        } catch (FailureException e) {
            // The rows before it may still run and keep their results.
            part.failure = RunFailure.POISON;
        } finally {
            part.tokenizeNanos += clock.nanoTime() - before;
        }
    }

    private void runAll(List<Row> waiting) throws RunTerminatedException, RunFailedException {
        boolean together = model.profile().batchInvariant();
        int from = 0;
        while (from < waiting.size()) {
            int to = together ? endOfRun(waiting, from) : from + 1;
            runRows(waiting.subList(from, to));
            from = to;
            // Never before the first: a slice that is sent again and again comes to an end.
            if (!together && orders.isPausing().test(dispatch.sliceId())) {
                waiting.subList(from, waiting.size()).forEach(row -> row.part.leaveOff());
                return;
            }
        }
    }

    /** The longest series of rows from {@code from} on whose padded tokens stay within the cap; at least one row. */
    private int endOfRun(List<Row> waiting, int from) {
        int longest = 0;
        int to = from;
        while (to < waiting.size()) {
            longest = Math.max(longest, waiting.get(to).tokens.tokens());
            if (to > from && (long) longest * (to - from + 1) > dispatch.tokenCap()) {
                break;
            }
            to++;
        }
        return to;
    }

    private void runRows(List<Row> rows) throws RunTerminatedException, RunFailedException {
        if (rows.size() == 1 && rows.get(0).part.failed) {
            return; // behind a poison row of the same part: its rows are delivered without gaps
        }
        checkTerminating();
        List<EmbeddingVector> vectors;
        try {
            vectors = timedRun(rows);
        } catch (RunFailedException e) {
            if (e.isOutOfMemory()) {
                throw e;
            }
            blame(rows);
            return;
        }
        for (int i = 0; i < rows.size(); i++) {
            rows.get(i).finish(vectors.get(i));
        }
    }

    /** One native run, whose time its rows share. */
    private List<EmbeddingVector> timedRun(List<Row> rows) throws RunTerminatedException, RunFailedException {
        long before = clock.nanoTime();
        try {
            return model.run(dispatch.sliceId(), rows.stream().map(Row::tokens).toList());
        } finally {
            long took = clock.nanoTime() - before;
            for (int i = 0; i < rows.size(); i++) {
                rows.get(i).part.inferenceNanos += took / rows.size() + (i < took % rows.size() ? 1 : 0);
            }
        }
    }

    /** One row alone is at fault itself; of several, each is tried alone so that neighbours succeed (CONTRACTS A22). */
    private void blame(List<Row> rows) throws RunTerminatedException, RunFailedException {
        if (rows.size() == 1) {
            rows.get(0).part.poison();
            return;
        }
        for (Row row : rows) {
            runRows(List.of(row));
        }
    }

    private void checkTerminating() throws RunTerminatedException {
        if (orders.isTerminating().test(dispatch.sliceId())) {
            throw new RunTerminatedException();
        }
    }

    private FromWorker failed(RunFailure failure, String detail) {
        return new FromWorker.Failed(
                dispatch.slot(), dispatch.generation(), dispatch.sliceId(), failure, detail, results(true));
    }

    private List<PartResult> results(boolean onlyFinished) {
        List<PartResult> results = new ArrayList<>();
        for (Part part : parts) {
            if (!onlyFinished || !part.done.isEmpty() || part.failed) {
                results.add(new PartResult(
                        part.source.operationId(),
                        part.source.rowOffset(),
                        part.done,
                        onlyFinished && !part.failed ? null : part.failure,
                        new PartTiming(part.tokenizeNanos, part.inferenceNanos)));
            }
        }
        return results;
    }

    private record Row(Part part, TokenizedRow tokens) {
        void finish(EmbeddingVector vector) {
            if (!part.failed) {
                part.done.add(new RowResult(vector, tokens.tokens(), tokens.truncated()));
            }
        }
    }

    /** What has become of a part so far. */
    private static final class Part {
        private final SlicePart source;
        private final List<RowResult> done = new ArrayList<>();
        private @Nullable RunFailure failure;
        /** Whether a run failed, as opposed to a row that could not even be tokenised and stands behind the others. */
        private boolean failed;

        private long tokenizeNanos;
        private long inferenceNanos;

        Part(SlicePart source) {
            this.source = source;
        }

        /** Rows before one that could not be tokenised have yet to run: its turn to fail comes after them. */
        void leaveOff() {
            failure = failed ? failure : null;
        }

        void poison() {
            failed = true;
            failure = RunFailure.POISON;
        }
    }
}
