package io.recallgate.embedding.wire;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.embedding.protocol.PartResult;
import io.recallgate.embedding.protocol.SlicePart;
import io.recallgate.embedding.protocol.ToWorker;
import io.recallgate.embedding.protocol.WorkerDrops;
import io.recallgate.embedding.protocol.WorkerExit;
import java.util.List;

/** Writes the fields of messages. A method each, so that a new message cannot be forgotten. */
final class MessageEncoder implements ToWorker.Handler, FromWorker.Handler {

    private final WireWriter out;

    MessageEncoder(WireWriter out) {
        this.out = out;
    }

    /** @param message one that {@link Kind} knows */
    void fields(Object message) {
        if (message instanceof ToWorker command) {
            out.int32(command.slot()).int64(command.generation());
            command.deliverTo(this);
        } else if (message instanceof FromWorker news) {
            out.int32(news.slot()).int64(news.generation());
            news.deliverTo(this);
        } else if (message instanceof WorkerExit exit) {
            out.int32(exit.slot()).int64(exit.generation());
        } else {
            throw new IllegalArgumentException("no message of the worker protocol: " + message.getClass());
        }
    }

    @Override
    public void dispatch(ToWorker.Dispatch message) {
        out.int64(message.sliceId()).list(message.parts(), this::part).int32(message.tokenCap());
    }

    @Override
    public void cancelDispatch(ToWorker.CancelDispatch message) {
        out.int64(message.sliceId());
    }

    @Override
    public void terminate(ToWorker.Terminate message) {
        out.int64(message.sliceId());
    }

    @Override
    public void pause(ToWorker.Pause message) {
        out.int64(message.sliceId());
    }

    @Override
    public void shutdown(ToWorker.Shutdown message) {
        // Slot and generation say it all.
    }

    @Override
    public void ready(FromWorker.Ready message) {
        out.text(message.model().name())
                .text(message.model().fingerprint())
                .int32(message.model().dimensions())
                .int32(message.model().maxTokens())
                .flag(message.batchInvariant())
                .float64(message.batchCosine())
                .int64(message.residentBytes())
                .int64(message.loadNanos());
    }

    @Override
    public void startFailed(FromWorker.StartFailed message) {
        out.octet(WireNumbers.of(message.failure())).text(message.detail());
    }

    @Override
    public void grew(FromWorker.Grew message) {
        out.int64(message.chargedBytes());
    }

    @Override
    public void started(FromWorker.Started message) {
        out.int64(message.sliceId());
        drops(message.drops());
    }

    @Override
    public void completed(FromWorker.Completed message) {
        out.int64(message.sliceId());
        results(message.parts());
    }

    @Override
    public void failed(FromWorker.Failed message) {
        out.int64(message.sliceId()).octet(WireNumbers.of(message.failure())).text(message.detail());
        results(message.finished());
    }

    @Override
    public void cancelled(FromWorker.Cancelled message) {
        out.int64(message.sliceId());
    }

    @Override
    public void terminated(FromWorker.Terminated message) {
        out.int64(message.sliceId());
        results(message.finished());
    }

    @Override
    public void stopped(FromWorker.Stopped message) {
        drops(message.drops());
    }

    private void drops(WorkerDrops drops) {
        out.int64(drops.misdirected())
                .int64(drops.repeated())
                .int64(drops.late())
                .int64(drops.cancelled())
                .int64(drops.closed());
    }

    private void part(SlicePart part) {
        out.int64(part.operationId())
                .octet(WireNumbers.of(part.inputType()))
                .int32(part.rowOffset())
                .list(part.rows(), this::input);
    }

    private void input(EmbedInput input) {
        if (input instanceof EmbedInput.Text text) {
            out.octet(WireNumbers.TEXT).text(text.text());
        } else if (input instanceof EmbedInput.Tokens tokens) {
            int[] ids = tokens.ids();
            out.octet(WireNumbers.TOKENS).int32(ids.length);
            for (int id : ids) {
                out.int32(id);
            }
        } else {
            throw new IllegalArgumentException("no input of the worker protocol: " + input.getClass());
        }
    }

    private void results(List<PartResult> parts) {
        out.list(parts, part -> out.int64(part.operationId())
                .int32(part.rowOffset())
                .list(
                        part.rows(),
                        row -> out.vector(row.vector()).int32(row.tokens()).flag(row.truncated()))
                .optional(part.failure(), failure -> out.octet(WireNumbers.of(failure)))
                .int64(part.timing().tokenizeNanos())
                .int64(part.timing().inferenceNanos()));
    }
}
