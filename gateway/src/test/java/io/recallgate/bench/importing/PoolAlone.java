package io.recallgate.bench.importing;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Documents handed to the pool as fast as it takes them, in requests of a slice. Used by one thread. */
final class PoolAlone {

    /** Rows of a request: a slice of the pool. */
    static final int SLICE_ROWS = 8;

    /** In the pool's queue at any time: enough slices for every worker to have a choice. */
    private static final int ROWS_IN_FLIGHT = 128;

    private final Vertx vertx;
    private final Embedder embedder;
    private int requests;

    PoolAlone(Vertx vertx, Embedder embedder) {
        this.vertx = vertx;
        this.embedder = embedder;
    }

    /** Embeds all of them. */
    Work run(List<String> texts) throws Exception {
        Deque<List<String>> left = new ArrayDeque<>();
        for (int from = 0; from < texts.size(); from += SLICE_ROWS) {
            left.add(texts.subList(from, Math.min(from + SLICE_ROWS, texts.size())));
        }
        Promise<Void> done = Promise.promise();
        Work.Start start = Work.begin();
        vertx.runOnContext(ignored -> {
            List<Future<Void>> lanes = new ArrayList<>();
            for (int i = 0; i < ROWS_IN_FLIGHT / SLICE_ROWS; i++) {
                lanes.add(lane(left));
            }
            Future.all(lanes).<Void>mapEmpty().onComplete(done);
        });
        done.future().await(1, TimeUnit.HOURS);
        return start.end(texts.size());
    }

    private Future<Void> lane(Deque<List<String>> left) {
        List<String> next = left.poll();
        return next == null ? Future.succeededFuture() : embed(next).compose(ignored -> lane(left));
    }

    private Future<EmbedResult> embed(List<String> rows) {
        return embedder.embed(new EmbedRequest(
                "bench-" + requests++,
                rows.stream().<EmbedInput>map(EmbedInput.Text::new).toList(),
                InputType.DOCUMENT,
                Priority.DOCUMENT,
                Deadline.afterMillis(SystemClock.INSTANCE, TimeUnit.HOURS.toMillis(1)),
                new CancelSignal()));
    }
}
