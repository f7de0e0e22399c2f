package io.recallgate.bench.pool;

import static io.recallgate.bench.pool.PoolUnderTest.await;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** How long callers wait: alone, beside documents, after a cancellation, and behind abandoned work. */
final class Latency {

    private static final int QUERY_TOKENS = 16;
    private static final int DOCUMENT_TOKENS = 64;

    private final PoolUnderTest pool;
    private final Texts texts;
    private final int rounds;
    private final Consumer<String> progress;
    private final Random random = new Random(11);

    Latency(PoolUnderTest pool, Texts texts, int rounds, Consumer<String> progress) {
        this.pool = pool;
        this.texts = texts;
        this.rounds = rounds;
        this.progress = progress;
    }

    private record Answer(double totalMillis, double workMillis) {}

    /** Queries alone and among documents, in turns. */
    List<Figure> queries() throws Exception {
        Samples overhead = new Samples();
        Samples idle = new Samples();
        Samples busy = new Samples();
        Samples slices = new Samples();
        for (int round = -1; round < rounds; round++) {
            List<Answer> alone = await(ask(40, 10, new ArrayList<>()));
            AtomicBoolean over = new AtomicBoolean();
            Future<?> documents = pool.onCaller(() -> keepBusy(over, slices));
            List<Answer> among = await(ask(30, 20, new ArrayList<>()));
            over.set(true);
            await(documents);
            progress.accept("queries, round " + (round + 1) + " of " + rounds);
            if (round >= 0) {
                alone.forEach(answer -> {
                    idle.add(answer.totalMillis());
                    overhead.add(answer.totalMillis() - answer.workMillis());
                });
                among.forEach(answer -> busy.add(answer.totalMillis()));
            }
        }
        double slice = slices.quantile(0.99);
        return List.of(
                Figure.plain("idle query, p50 / p99", millis(idle.median()) + " / " + millis(idle.quantile(0.99))),
                Figure.atMostMillis("pool overhead of an idle query, p50", 0.3, overhead.median()),
                Figure.plain("pool overhead of an idle query, p99", millis(overhead.quantile(0.99))),
                Figure.plain(
                        "document slice of " + PoolUnderTest.ROWS + " rows of " + DOCUMENT_TOKENS
                                + " tokens beside queries, p50 / p99",
                        millis(slices.median()) + " / " + millis(slice)),
                Figure.plain("query while documents saturate the pool, p50", millis(busy.median())),
                Figure.atMostMillis(
                        "query while documents saturate the pool, p99, against one slice and two idle queries",
                        slice + 2 * idle.quantile(0.99),
                        busy.quantile(0.99)));
    }

    /** Cancels at random moments of requests that wait or run. */
    List<Figure> cancels() throws Exception {
        Samples settled = new Samples();
        for (int round = 0; round < rounds; round++) {
            AtomicBoolean over = new AtomicBoolean();
            Future<?> documents = pool.onCaller(() -> keepBusy(over, new Samples()));
            for (int i = 0; i < 40; i++) {
                String text = texts.of(DOCUMENT_TOKENS);
                long millis = 1L + random.nextInt(30);
                settled.add(await(pool.onCaller(() -> cancelAfter(text, millis))));
            }
            over.set(true);
            await(documents);
            progress.accept("cancellations, round " + (round + 1) + " of " + rounds);
        }
        return List.of(
                Figure.plain("cancelled to settled, p50", millis(settled.median())),
                Figure.atMostMillis("cancelled to settled, p99 of " + settled.size(), 5, settled.quantile(0.99)));
    }

    private Future<Double> cancelAfter(String text, long millis) {
        CancelSignal signal = new CancelSignal();
        long[] cancelled = new long[1];
        Promise<Double> promise = Promise.promise();
        pool.query(text, signal).onComplete(answer -> {
            long now = System.nanoTime();
            // One that was answered first settles at once.
            promise.complete(cancelled[0] == 0 ? 0 : (now - cancelled[0]) / 1e6);
        });
        pool.pause(millis).onComplete(done -> {
            cancelled[0] = System.nanoTime();
            signal.cancel(CancelCause.CALLER);
        });
        return promise.future();
    }

    /** Both workers in a slice that loses its caller while a query waits: until the query is dispatched. */
    List<Figure> abandoned() throws Exception {
        Samples free = new Samples();
        int tries = 20 * rounds;
        for (int i = 0; i < tries; i++) {
            CancelSignal signal = new CancelSignal();
            List<Future<EmbedResult>> given = new ArrayList<>();
            for (int worker = 0; worker < PoolUnderTest.WORKERS; worker++) {
                List<String> rows = texts.of(256, PoolUnderTest.ROWS);
                given.add(pool.documents(rows, signal));
            }
            awaitRunning();
            TimeUnit.MILLISECONDS.sleep(random.nextInt(60));
            String text = texts.of(QUERY_TOKENS);
            free.add(await(pool.onCaller(() -> {
                long asked = System.nanoTime();
                Future<EmbedResult> waiting = pool.query(text, new CancelSignal());
                long cancelled = System.nanoTime();
                signal.cancel(CancelCause.DISCONNECTED);
                return waiting.map(result -> (asked + result.timing().queueNanos() - cancelled) / 1e6);
            })));
            for (Future<EmbedResult> one : given) {
                await(one.otherwiseEmpty());
            }
            awaitIdle();
            if (i % 20 == 19) {
                progress.accept("abandoned slices, " + (i + 1) + " of " + tries);
            }
        }
        String what = "abandoned slice of 8 rows of 256 tokens to worker free";
        return List.of(
                Figure.atMostMillis(what + ", p50", 15, free.median()),
                Figure.atMostMillis(what + ", p99 of " + free.size(), 100, free.quantile(0.99)));
    }

    private Future<List<Answer>> ask(int left, long pauseMillis, List<Answer> answers) {
        if (left == 0) {
            return Future.succeededFuture(answers);
        }
        String text = texts.of(QUERY_TOKENS);
        return pool.pause(pauseMillis)
                .compose(done -> pool.onCaller(() -> {
                    long start = System.nanoTime();
                    return pool.query(text, new CancelSignal()).map(result -> {
                        EmbedResult.Timing timing = result.timing();
                        return new Answer(
                                (System.nanoTime() - start) / 1e6,
                                (timing.tokenizeNanos() + timing.inferenceNanos()) / 1e6);
                    });
                }))
                .compose(answer -> {
                    answers.add(answer);
                    return ask(left - 1, pauseMillis, answers);
                });
    }

    private Future<?> keepBusy(AtomicBoolean over, Samples slices) {
        List<Future<?>> lanes = new ArrayList<>();
        for (int lane = 0; lane < 3 * PoolUnderTest.WORKERS; lane++) {
            lanes.add(keepLaneBusy(over, slices, texts.of(DOCUMENT_TOKENS, PoolUnderTest.ROWS)));
        }
        return Future.all(lanes);
    }

    private Future<?> keepLaneBusy(AtomicBoolean over, Samples slices, List<String> rows) {
        if (over.get()) {
            return Future.succeededFuture();
        }
        // Other texts each time, or it would be the same work; made by moving one word, which costs nothing here.
        List<String> other = rows.stream().map(Latency::turned).toList();
        return pool.documents(rows, new CancelSignal()).compose(result -> {
            slices.add((result.timing().tokenizeNanos() + result.timing().inferenceNanos()) / 1e6);
            return keepLaneBusy(over, slices, other);
        });
    }

    private static String turned(String text) {
        int space = text.indexOf(' ');
        return text.substring(space + 1) + " " + text.substring(0, space);
    }

    private void awaitRunning() throws Exception {
        while (!allSlots("running")) {
            TimeUnit.MICROSECONDS.sleep(500);
        }
    }

    private void awaitIdle() throws Exception {
        while (!allSlots("idle")) {
            TimeUnit.MICROSECONDS.sleep(500);
        }
    }

    private boolean allSlots(String state) throws Exception {
        return pool.slots().stream()
                .allMatch(slot -> ((JsonObject) slot).getString("state").equals(state));
    }

    private static String millis(double value) {
        return String.format("%.2f ms", value);
    }
}
