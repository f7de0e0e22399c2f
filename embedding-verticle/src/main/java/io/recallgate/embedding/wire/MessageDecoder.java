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
import org.jspecify.annotations.Nullable;

/** Reads the fields of messages, in the order in which {@link MessageEncoder} writes them. */
final class MessageDecoder {

    /** Operation, input type, offset, size of the list and its first input. */
    private static final int PART_BYTES = 8 + 1 + 4 + 4 + 5;

    /** Form and size. */
    private static final int INPUT_BYTES = 1 + 4;

    /** Operation, offset, size of the list, whether it failed and two spans. */
    private static final int RESULT_BYTES = 8 + 4 + 4 + 1 + 8 + 8;

    /** Dimensions, tokens and whether it was cut. */
    private static final int ROW_BYTES = 4 + 4 + 1;

    private final WireReader in;

    MessageDecoder(WireReader in) {
        this.in = in;
    }

    Object fields(Kind kind) {
        int slot = in.natural("slot");
        long generation = in.int64("generation");
        return switch (kind) {
            case DISPATCH -> new ToWorker.Dispatch(slot, generation, slice(), parts(), in.int32("token cap"));
            case CANCEL_DISPATCH -> new ToWorker.CancelDispatch(slot, generation, slice());
            case TERMINATE -> new ToWorker.Terminate(slot, generation, slice());
            case PAUSE -> new ToWorker.Pause(slot, generation, slice());
            case SHUTDOWN -> new ToWorker.Shutdown(slot, generation);
            case READY ->
                new FromWorker.Ready(
                        slot,
                        generation,
                        model(),
                        in.flag("batch invariant"),
                        in.float64("batch cosine"),
                        in.int64("resident bytes"),
                        in.int64("load nanos"));
            case START_FAILED ->
                new FromWorker.StartFailed(
                        slot,
                        generation,
                        in.constant("start failure", StartFailure.values(), WireNumbers::of),
                        in.text("detail"));
            case STARTED -> new FromWorker.Started(slot, generation, slice(), drops());
            case COMPLETED -> new FromWorker.Completed(slot, generation, slice(), results());
            case FAILED -> new FromWorker.Failed(slot, generation, slice(), runFailure(), in.text("detail"), results());
            case CANCELLED -> new FromWorker.Cancelled(slot, generation, slice());
            case TERMINATED -> new FromWorker.Terminated(slot, generation, slice(), results());
            case STOPPED -> new FromWorker.Stopped(slot, generation, drops());
            case GREW -> new FromWorker.Grew(slot, generation, in.int64("charged bytes"));
            case EXIT -> new WorkerExit(slot, generation);
        };
    }

    private WorkerDrops drops() {
        return new WorkerDrops(
                in.int64("misdirected"),
                in.int64("repeated"),
                in.int64("late"),
                in.int64("cancelled"),
                in.int64("closed"));
    }

    private long slice() {
        return in.int64("slice");
    }

    private ModelIdentity model() {
        return new ModelIdentity(
                in.text("model name"),
                in.text("model fingerprint"),
                in.natural("dimensions"),
                in.natural("max tokens"));
    }

    private List<SlicePart> parts() {
        return in.list("parts", 1, PART_BYTES, this::part);
    }

    private SlicePart part() {
        return new SlicePart(
                in.int64("operation"),
                in.constant("input type", InputType.values(), WireNumbers::of),
                in.natural("row offset"),
                in.list("inputs", 1, INPUT_BYTES, this::input));
    }

    private EmbedInput input() {
        int form = in.octet("input form");
        return switch (form) {
            case WireNumbers.TEXT -> new EmbedInput.Text(in.text("text"));
            case WireNumbers.TOKENS -> new EmbedInput.Tokens(in.ints("tokens"));
            default -> throw new WireFormatException("input form has the unknown number " + form);
        };
    }

    private List<PartResult> results() {
        return in.list("results", 0, RESULT_BYTES, this::result);
    }

    private PartResult result() {
        long operation = in.int64("operation");
        int offset = in.natural("row offset");
        List<RowResult> rows = in.list("rows", 0, ROW_BYTES, this::row);
        @Nullable RunFailure failure = in.optional("has failure", this::runFailure);
        return new PartResult(operation, offset, rows, failure, timing());
    }

    private RowResult row() {
        EmbeddingVector vector = in.vector("vector");
        return new RowResult(vector, in.natural("row tokens"), in.flag("truncated"));
    }

    private RunFailure runFailure() {
        return in.constant("run failure", RunFailure.values(), WireNumbers::of);
    }

    private PartTiming timing() {
        return new PartTiming(in.int64("tokenize nanos"), in.int64("inference nanos"));
    }
}
