package io.recallgate.gateway.http.transfer;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.pipeline.AnswerStream;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.recall.api.ExportPage;
import io.recallgate.recall.api.ExportQuery;
import io.recallgate.recall.json.MemoryJson;
import io.recallgate.recall.read.Lane;
import io.recallgate.time.CancelCause;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * One export on its way: reads a part, sends it, and reads the next once the client has caught up. On the request's event
 * loop.
 */
final class MemoryExport {

    /** JSON around a content, an estimate that decides where it is encoded. */
    private static final long ENVELOPE_BYTES = 400;

    private final Exchange exchange;
    private final TransferParts parts;
    private final Promise<Reply> over = Promise.promise();
    private @Nullable AnswerStream answer;
    private Timers.Timer standing = () -> false;

    MemoryExport(Exchange exchange, TransferParts parts) {
        this.exchange = exchange;
        this.parts = parts;
    }

    /** Runs to its end. */
    Future<Reply> run(@Nullable String session) {
        exchange.cancel()
                .onCancel(cause -> exchange.onLoop(() -> {
                    if (answer == null || cause == CancelCause.DISCONNECTED) {
                        standing.cancel();
                        over.tryComplete(Reply.streamed());
                    } else {
                        fail(new FailureException(FailureCode.DEADLINE_EXCEEDED, "the export's deadline passed"));
                    }
                }));
        next(ExportQuery.of(session));
        return over.future();
    }

    private void next(ExportQuery query) {
        Deadline deadline =
                parts.time().afterMillis(parts.options().storeMillis()).min(exchange.deadline());
        parts.retrying()
                .within(deadline, () -> parts.runtime().services().memories().export(exchange.scope(), query, deadline))
                .compose(page -> parts.retrying()
                        .within(deadline, () -> exchange.workers()
                                .run(Lane.BACKGROUND, estimate(page), deadline, () -> encoded(page)))
                        .map(lines -> new Part(lines, page.memories().size(), page.next())))
                .onComplete(read -> exchange.onLoop(() -> {
                    if (over.future().isComplete()) {
                        return;
                    }
                    if (read.succeeded()) {
                        send(read.result());
                    } else {
                        fail(FailureException.of(read.cause()));
                    }
                }));
    }

    private record Part(
            Buffer lines, int memories, @Nullable ExportQuery next) {}

    private static long estimate(ExportPage page) {
        return page.memories().stream()
                .mapToLong(memory -> ENVELOPE_BYTES + memory.draft().content().length())
                .sum();
    }

    private static Buffer encoded(ExportPage page) {
        Buffer lines = Buffer.buffer();
        page.memories().forEach(memory -> lines.appendBuffer(
                        MemoryJson.exported(memory).toBuffer())
                .appendByte((byte) '\n'));
        return lines;
    }

    private void send(Part part) {
        if (answer == null) {
            answer = exchange.stream(TransferRoutes.NDJSON).orElse(null);
            if (answer == null) {
                over.tryComplete(Reply.streamed());
                return;
            }
        }
        parts.metrics().exported(part.memories());
        if (part.next() == null || exchange.wantsHeadOnly()) {
            answer.end(part.lines());
            over.tryComplete(Reply.streamed());
            return;
        }
        ExportQuery next = part.next();
        answer.write(part.lines());
        if (!answer.isFull()) {
            next(next);
            return;
        }
        standing = parts.time()
                .schedule(
                        parts.options().idleMillis(),
                        () -> fail(new FailureException(
                                FailureCode.DEADLINE_EXCEEDED,
                                "the client read nothing for " + parts.options().idleMillis() + " ms")));
        answer.onceDrained(() -> {
            if (standing.cancel() && !over.future().isComplete()) {
                next(next);
            }
        });
    }

    /** Before the first line a problem like any other; after it the answer is cut, with a line that says why. */
    private void fail(FailureException failure) {
        standing.cancel();
        if (answer == null) {
            over.tryFail(failure);
            return;
        }
        if (over.tryComplete(Reply.streamed())) {
            answer.cut(
                    failure,
                    new JsonObject()
                            .put("incomplete", true)
                            .put("code", failure.code().code())
                            .put("detail", failure.detail())
                            .toBuffer()
                            .appendByte((byte) '\n'));
        }
    }
}
