package io.recallgate.bench.pool;

import static io.recallgate.bench.pool.PoolUnderTest.await;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Requests without native runs, thousands of them in a second, until the just-in-time compiler has little left to do. A
 * gateway is warm for most of its life, and its pool takes some ten thousand requests to become so: with real runs that
 * is minutes, in which the compiler takes a tenth of two cores from whatever is measured.
 */
final class Rehearsal {

    /** Compiling is over when it takes less than this share of a second. */
    private static final double QUIET_SHARE = 0.02;

    private static final int MOST_SECONDS = 40;
    private static final int LANES = 32;

    private final PoolUnderTest pool;
    private final List<String> texts;
    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private int next;
    private long endNanos;

    private Rehearsal(PoolUnderTest pool, Texts texts) {
        this.pool = pool;
        this.texts = texts.ofWords(10, 4_096);
    }

    /** Returns when the pool's code is compiled, or when it has had long enough for that. */
    static void of(PoolUnderTest pool, Texts texts) throws Exception {
        pool.models().rehearse(true);
        new Rehearsal(pool, texts).untilCompiled();
        pool.models().rehearse(false);
    }

    private void untilCompiled() throws Exception {
        int quiet = 0;
        for (int second = 0; second < MOST_SECONDS && quiet < 2; second++) {
            long before = compiler.getTotalCompilationTime();
            oneSecond();
            double share = (compiler.getTotalCompilationTime() - before) / 1e3;
            quiet = share < QUIET_SHARE ? quiet + 1 : 0;
        }
    }

    private void oneSecond() throws Exception {
        endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        await(pool.onCaller(() -> {
            List<Future<?>> lanes = new ArrayList<>();
            for (int lane = 0; lane < LANES; lane++) {
                lanes.add(embedNext(lane));
            }
            return Future.all(lanes);
        }));
    }

    /** On the caller's event loop: queries, single documents and requests of several, side by side. */
    private Future<?> embedNext(int lane) {
        if (System.nanoTime() - endNanos >= 0) {
            return Future.succeededFuture();
        }
        return request(lane).compose(done -> embedNext(lane));
    }

    private Future<EmbedResult> request(int lane) {
        int count = lane % 4 == 0 ? PoolUnderTest.ROWS : 1;
        if (next + count > texts.size()) {
            next = 0;
        }
        next += count;
        List<String> some = texts.subList(next - count, next);
        return lane % 4 == 1 ? pool.query(some.get(0), new CancelSignal()) : pool.documents(some, new CancelSignal());
    }
}
