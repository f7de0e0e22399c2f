package io.recallgate.gateway.http.transfer;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.pipeline.AnswerStream;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.IncomingBody;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime.Phase;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.read.Lane;
import io.recallgate.time.CancelCause;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One import on its way: reads until a batch is full, pauses the request while the batch is parsed and stored, tells
 * progress, and reads on. On the request's event loop.
 */
final class MemoryImport {

    /** Half of what one write may hold: progress stays smooth. */
    static final int BATCH_LINES = 500;

    /** Of lines as they came; one larger line goes alone. */
    static final long BATCH_BYTES = 1L << 20;

    /** Taken for progress of a line that is not whole yet: a line of one byte a minute is standing still. */
    private static final long PROGRESS_BYTES = 64 * 1024;

    /** What is wrong with one memory of a write, and not with the write. */
    private static final Set<FailureCode> OF_ONE_MEMORY = EnumSet.of(
            FailureCode.INVALID_JSON,
            FailureCode.INVALID_FIELD,
            FailureCode.UNKNOWN_FIELD,
            FailureCode.INVALID_TEXT,
            FailureCode.PAYLOAD_TOO_LARGE);

    private enum State {
        READING,
        STORING,
        ENDED
    }

    private final Exchange exchange;
    private final TransferParts parts;
    private final @Nullable String session;
    private final IncomingBody body;
    private final LineFramer framer = new LineFramer(this::take);
    private final Deque<Line> pending = new ArrayDeque<>();
    private final ImportCounts counts;
    private final Promise<Reply> over = Promise.promise();

    private State state = State.READING;
    private long pendingBytes;
    private long bytesSinceProgress;
    private Deadline idle;
    private boolean wholeBody;
    private @Nullable CancelCause cancelled;
    private @Nullable AnswerStream answer;
    private Timers.Timer tick = () -> false;

    MemoryImport(Exchange exchange, TransferParts parts, @Nullable String session) {
        this.exchange = exchange;
        this.parts = parts;
        this.counts = new ImportCounts(parts.metrics());
        this.session = session;
        this.body = exchange.incoming();
        this.idle = parts.time().afterMillis(parts.options().idleMillis());
    }

    /** Runs to its end. */
    Future<Reply> run() {
        exchange.cancel().onCancel(cause -> exchange.onLoop(() -> cancel(cause)));
        arm();
        body.start(this::piece, this::end);
        return over.future();
    }

    private void piece(Buffer piece) {
        if (state == State.ENDED) {
            return;
        }
        bytesSinceProgress += piece.length();
        if (bytesSinceProgress >= PROGRESS_BYTES) {
            moved();
        }
        framer.feed(piece.getBytes());
        if (state == State.READING && isFull()) {
            store();
        }
    }

    private void take(Line line) {
        pending.add(line);
        pendingBytes += line.utf8().length;
        moved();
    }

    private void moved() {
        bytesSinceProgress = 0;
        idle = parts.time().afterMillis(parts.options().idleMillis());
    }

    private boolean isFull() {
        return pending.size() >= BATCH_LINES || pendingBytes >= BATCH_BYTES;
    }

    private void end() {
        if (state == State.ENDED) {
            return;
        }
        framer.end();
        wholeBody = true;
        if (state == State.READING) {
            goOn();
        }
    }

    private void cancel(CancelCause cause) {
        cancelled = cause;
        if (state == State.READING) {
            goOn();
        }
    }

    /** Looks after an import whose client sends nothing. */
    private void arm() {
        tick = parts.time().schedule(parts.options().flushMillis(), () -> {
            if (state == State.READING) {
                tick();
            }
            if (state != State.ENDED) {
                arm();
            }
        });
    }

    private void tick() {
        if (parts.runtime().phase() != Phase.READY) {
            goOn();
        } else if (!pending.isEmpty()) {
            store();
        } else if (idle.isPassed()) {
            fail(new FailureException(
                            FailureCode.BODY_TIMEOUT,
                            "no line arrived within " + parts.options().idleMillis() + " ms")
                    .retryAfter(Duration.ofSeconds(1)));
        }
    }

    /** The one place that decides what comes next when nothing is being stored. */
    private void goOn() {
        if (cancelled == CancelCause.DISCONNECTED) {
            leave();
        } else if (cancelled != null) {
            fail(new FailureException(FailureCode.DEADLINE_EXCEEDED, "the import's deadline passed"));
        } else if (parts.runtime().phase() != Phase.READY) {
            fail(new FailureException(FailureCode.SHUTTING_DOWN, "the gateway is shutting down")
                    .retryAfter(Duration.ofSeconds(1)));
        } else if (isFull() || (wholeBody && !pending.isEmpty())) {
            store();
        } else if (wholeBody) {
            counts.reached(framer.count());
            finish(counts.done());
        } else {
            state = State.READING;
            moved();
            body.resume();
        }
    }

    private void store() {
        state = State.STORING;
        body.pause();
        List<Line> batch = new ArrayList<>();
        long bytes = 0;
        while (!pending.isEmpty()
                && batch.size() < BATCH_LINES
                && (batch.isEmpty() || bytes + pending.getFirst().utf8().length <= BATCH_BYTES)) {
            Line line = pending.removeFirst();
            bytes += line.utf8().length;
            batch.add(line);
        }
        pendingBytes -= bytes;
        long size = bytes;
        Deadline deadline =
                parts.time().afterMillis(parts.options().storeMillis()).min(exchange.deadline());
        parts.retrying()
                .within(deadline, () -> exchange.workers()
                        .run(
                                Lane.BACKGROUND,
                                size,
                                deadline,
                                () -> ParsedBatch.of(batch, session, parts.time()::nextId)))
                .compose(parsed -> {
                    parsed.rejected().forEach(counts::reject);
                    return store(parsed.groups(), 0, deadline);
                })
                .onComplete(stored -> exchange.onLoop(() -> {
                    if (stored.succeeded()) {
                        counts.reached(batch.get(batch.size() - 1).number());
                        progress();
                        goOn();
                    } else {
                        fail(FailureException.of(stored.cause()));
                    }
                }));
    }

    private Future<Void> store(List<List<ParsedBatch.Item>> groups, int index, Deadline deadline) {
        if (index == groups.size()) {
            return Future.succeededFuture();
        }
        List<ParsedBatch.Item> group = groups.get(index);
        return storeGroup(group, deadline).compose(stored -> {
            counts.reached(group.get(group.size() - 1).line());
            return store(groups, index + 1, deadline);
        });
    }

    /** Stores a group; one that is refused for what is in it is halved until the one at fault is found. */
    private Future<Void> storeGroup(List<ParsedBatch.Item> group, Deadline deadline) {
        return parts.retrying()
                .within(deadline, () -> parts.runtime()
                        .services()
                        .memories()
                        .restore(
                                exchange.scope(),
                                group.stream().map(ParsedBatch.Item::memory).toList(),
                                deadline))
                .compose(stored -> {
                    count(group, stored);
                    return Future.<Void>succeededFuture();
                })
                .recover(error -> {
                    FailureException failure = FailureException.of(error);
                    if (!OF_ONE_MEMORY.contains(failure.code())) {
                        return Future.failedFuture(failure);
                    }
                    if (group.size() == 1) {
                        counts.reject(new Rejection(group.get(0).line(), failure.code(), failure.detail()));
                        return Future.succeededFuture();
                    }
                    int half = group.size() / 2;
                    return storeGroup(group.subList(0, half), deadline)
                            .compose(first -> storeGroup(group.subList(half, group.size()), deadline));
                });
    }

    private void count(List<ParsedBatch.Item> group, List<StoredMemory> stored) {
        for (int i = 0; i < group.size(); i++) {
            counts.count(group.get(i), stored.get(i));
        }
    }

    /** A client that does not read gets fewer lines, not later ones: each has the whole count. */
    private void progress() {
        AnswerStream to = answer();
        if (to != null && !to.isFull()) {
            to.write(counts.progress());
        }
    }

    private @Nullable AnswerStream answer() {
        if (answer == null) {
            answer = exchange.stream(TransferRoutes.NDJSON).orElse(null);
        }
        return answer;
    }

    private void fail(FailureException failure) {
        if (answer == null && counts.isNothing()) {
            // Nothing has been said yet: it is an answer like that of any other route.
            close();
            over.fail(failure);
            return;
        }
        AnswerStream to = answer();
        if (to != null) {
            to.end(failure, counts.failed(failure));
        }
        leave();
    }

    private void finish(Buffer last) {
        AnswerStream to = answer();
        if (to != null) {
            to.end(last);
        }
        leave();
    }

    private void leave() {
        close();
        over.complete(Reply.streamed());
    }

    private void close() {
        state = State.ENDED;
        tick.cancel();
        pending.clear();
    }
}
