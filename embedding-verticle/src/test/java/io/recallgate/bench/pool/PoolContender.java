package io.recallgate.bench.pool;

import static io.recallgate.bench.pool.PoolUnderTest.await;

import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** A caller on an event loop that keeps the pool's workers busy with requests of so many texts each. */
final class PoolContender implements Contender {

    /** Texts that wait or run at any time: what the workers have in hand, and as much again. */
    private static final int TEXTS_IN_FLIGHT = 16 * PoolUnderTest.WORKERS;

    private final PoolUnderTest pool;
    private final int textsPerRequest;

    PoolContender(PoolUnderTest pool, int textsPerRequest) {
        this.pool = pool;
        this.textsPerRequest = textsPerRequest;
    }

    @Override
    public String name() {
        return textsPerRequest == 1 ? "pool, 1 text a request" : "pool, " + textsPerRequest + " texts a request";
    }

    /** Rows count when their run ends, as in the bare loop; that all were answered shows at the end. */
    @Override
    public void embed(Feed feed) throws Exception {
        pool.models().tell(feed);
        await(pool.onCaller(() -> {
            List<Future<?>> lanes = new ArrayList<>();
            for (int texts = 0; texts < TEXTS_IN_FLIGHT; texts += textsPerRequest) {
                lanes.add(embedNext(feed));
            }
            return Future.all(lanes);
        }));
    }

    private Future<?> embedNext(Feed feed) {
        List<String> next = feed.take(textsPerRequest);
        return next.isEmpty()
                ? Future.succeededFuture()
                : pool.documents(next, new CancelSignal()).compose(done -> embedNext(feed));
    }

    /** The pool belongs to others, too. */
    @Override
    public void close() {}
}
