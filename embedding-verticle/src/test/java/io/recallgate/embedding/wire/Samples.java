package io.recallgate.embedding.wire;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
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
import io.recallgate.embedding.protocol.WorkerExit;
import java.util.List;

/** Messages of every kind, with every form of every field in at least one of them. */
final class Samples {

    private static final PartTiming TIMING = new PartTiming(1_234_567, Long.MAX_VALUE);

    private static final List<PartResult> RESULTS = List.of(
            new PartResult(
                    7,
                    3,
                    List.of(
                            new RowResult(EmbeddingVector.of(0.6f, -0.8f, Float.MIN_VALUE, -0.0f), 12, false),
                            new RowResult(EmbeddingVector.of(), 512, true)),
                    null,
                    TIMING),
            new PartResult(Long.MAX_VALUE, 0, List.of(), RunFailure.POISON, PartTiming.NONE),
            new PartResult(8, 1, List.of(), RunFailure.OUT_OF_MEMORY, PartTiming.NONE),
            new PartResult(9, 1, List.of(), RunFailure.INTERNAL, PartTiming.NONE));

    private Samples() {}

    static List<Object> all() {
        return List.of(
                new ToWorker.Dispatch(
                        1,
                        2,
                        3,
                        List.of(
                                new SlicePart(
                                        4,
                                        InputType.QUERY,
                                        0,
                                        List.of(new EmbedInput.Text(""), new EmbedInput.Text("また明日 😀 é\0"))),
                                new SlicePart(
                                        5,
                                        InputType.DOCUMENT,
                                        2_047,
                                        List.of(
                                                new EmbedInput.Tokens(new int[] {0, 30_521, Integer.MAX_VALUE}),
                                                new EmbedInput.Tokens(new int[0])))),
                        4_096),
                new ToWorker.CancelDispatch(0, Long.MAX_VALUE, 5),
                new ToWorker.Terminate(Integer.MAX_VALUE, 1, 6),
                new ToWorker.Shutdown(3, 4),
                new ToWorker.Pause(1, 2, 7),
                new FromWorker.Ready(
                        0,
                        1,
                        new ModelIdentity("e5-small-v2-q", "f".repeat(64), 384, 512),
                        false,
                        0.9876,
                        70L << 20,
                        170_000_000),
                new FromWorker.Ready(0, 1, new ModelIdentity("", "", 0, 0), true, 1, 0, 0),
                new FromWorker.StartFailed(1, 9, StartFailure.TERMINAL, "model.onnx is missing"),
                new FromWorker.StartFailed(1, 9, StartFailure.RETRYABLE, ""),
                new FromWorker.Grew(1, 2, 140L << 20),
                new FromWorker.Started(2, 3, 4, new WorkerDrops(1, 2, 3, 4, Long.MAX_VALUE)),
                new FromWorker.Completed(2, 3, 4, RESULTS),
                new FromWorker.Failed(2, 3, 4, RunFailure.INTERNAL, "the runtime refused", RESULTS),
                new FromWorker.Failed(2, 3, 4, RunFailure.OUT_OF_MEMORY, "", List.of()),
                new FromWorker.Cancelled(2, 3, 4),
                new FromWorker.Terminated(2, 3, 4, RESULTS),
                new FromWorker.Stopped(2, 3, WorkerDrops.NONE),
                new WorkerExit(2, 3));
    }
}
