package io.recallgate.bench.pool;

import static io.recallgate.bench.pool.PoolUnderTest.await;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What giving up costs: the caller who gives up, and the next whose work waits behind what is not wanted any more. */
final class Cancels {

    private static final int TRIES = 40;
    private static final int LOAD_TOKENS = 64;
    private static final int ABANDONED_TOKENS = 256;

    private final Texts texts;
    private final int rounds;
    private final Consumer<String> progress;
    private final Random random = new Random(11);

    Cancels(Texts texts, int rounds, Consumer<String> progress) {
        this.texts = texts;
        this.rounds = rounds;
        this.progress = progress;
    }

    /** Cancels at random moments of requests that wait or run. */
    List<Figure> settling(PoolUnderTest pool) throws Exception {
        progress.accept("warming up");
        Rehearsal.of(pool, texts);
        Samples settled = new Samples();
        List<String> documents = texts.of(LOAD_TOKENS, 128);
        List<String> unwanted = texts.of(LOAD_TOKENS, TRIES);
        for (int round = 0; round < rounds; round++) {
            DocumentLoad load = new DocumentLoad(pool, documents);
            for (String text : unwanted) {
                long millis = 1L + random.nextInt(30);
                double took = await(pool.onCaller(() -> cancelAfter(pool, text, millis)));
                if (took >= 0) {
                    settled.add(took);
                }
            }
            load.end();
            progress.accept("cancellations, round " + (round + 1) + " of " + rounds);
        }
        return List.of(
                Figure.millis("cancelled to settled, p50", settled.median()),
                Figure.atMostMillis("cancelled to settled, p99 of " + settled.size(), 5, settled.quantile(0.99)));
    }

    /** Milliseconds from the cancellation to the answer, negative if the answer was there before. */
    private static Future<Double> cancelAfter(PoolUnderTest pool, String text, long millis) {
        CancelSignal signal = new CancelSignal();
        long[] cancelledAt = new long[1];
        Promise<Double> promise = Promise.promise();
        pool.documents(List.of(text), signal)
                .onComplete(answer ->
                        promise.complete(signal.isCancelled() ? (System.nanoTime() - cancelledAt[0]) / 1e6 : -1));
        pool.pause(millis).onSuccess(done -> {
            cancelledAt[0] = System.nanoTime();
            signal.cancel(CancelCause.CALLER);
        });
        return promise.future();
    }

    /** Every worker runs long work that nobody wants from one moment on, in which a query comes. */
    List<Figure> freeing(PoolUnderTest pool) throws Exception {
        Samples free = new Samples();
        int tries = rounds * TRIES / 2;
        String query = texts.of(Latency.QUERY_TOKENS);
        for (int i = 0; i < tries; i++) {
            CancelSignal signal = new CancelSignal();
            List<Future<EmbedResult>> given = new ArrayList<>();
            for (int worker = 0; worker < PoolUnderTest.WORKERS; worker++) {
                given.add(pool.documents(texts.of(ABANDONED_TOKENS, PoolUnderTest.ROWS), signal));
            }
            // On a busy machine one may end before the other has begun: then this try measures nothing.
            while (!pool.all("running") && given.stream().noneMatch(Future::isComplete)) {
                TimeUnit.MICROSECONDS.sleep(500);
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(60));
            if (pool.all("running")) {
                long cancelled = await(pool.onCaller(() -> abandon(pool, query, signal)));
                free.add((pool.models().queryStartNanos() - cancelled) / 1e6);
            }
            for (Future<EmbedResult> one : given) {
                await(one.otherwiseEmpty());
            }
            pool.awaitAll("idle");
            if (i % TRIES == TRIES - 1) {
                progress.accept("abandoned slices, " + (i + 1) + " of " + tries);
            }
        }
        String what = "abandoned request of " + PoolUnderTest.ROWS + " rows of " + ABANDONED_TOKENS
                + " tokens to the next work's start";
        return List.of(
                Figure.atMostMillis(what + ", p50", 15, free.median()),
                Figure.atMostMillis(what + ", p99 of " + free.size(), 100, free.quantile(0.99)));
    }

    /** Completes with the moment of the cancellation, once the query is answered. */
    private static Future<Long> abandon(PoolUnderTest pool, String query, CancelSignal signal) {
        Future<EmbedResult> waiting = pool.query(query, new CancelSignal());
        long cancelled = System.nanoTime();
        signal.cancel(CancelCause.DISCONNECTED);
        return waiting.map(cancelled);
    }
}
