package io.recallgate.bench.pool;

import static io.recallgate.bench.pool.PoolUnderTest.await;

import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** Documents that saturate the pool until {@link #end}. */
final class DocumentLoad {

    /** Requests that wait or run: one for each worker, and two that wait behind it. */
    private static final int LANES = 3 * PoolUnderTest.WORKERS;

    private final PoolUnderTest pool;
    private final List<String> texts;
    private final Future<?> lanes;
    private int next;
    private volatile boolean over;

    /** @param texts given out again and again; more than are ever under way */
    DocumentLoad(PoolUnderTest pool, List<String> texts) throws Exception {
        this.pool = pool;
        this.texts = texts;
        this.lanes = pool.onCaller(() -> {
            List<Future<?>> all = new ArrayList<>();
            for (int lane = 0; lane < LANES; lane++) {
                all.add(embedNext());
            }
            return Future.all(all);
        });
        pool.awaitAll("running");
    }

    /** On the caller's event loop. */
    private Future<?> embedNext() {
        if (over) {
            return Future.succeededFuture();
        }
        int from = next;
        next = (next + PoolUnderTest.ROWS) % texts.size();
        return pool.documents(texts.subList(from, from + PoolUnderTest.ROWS), new CancelSignal())
                .compose(done -> embedNext());
    }

    /** Returns when all that were given are answered. */
    void end() throws Exception {
        over = true;
        await(lanes);
    }
}
