package io.recallgate.bench.pool;

import static io.recallgate.bench.pool.PoolUnderTest.await;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** How long a query takes from an event loop, alone and beside documents that saturate the pool. */
final class Latency {

    static final int QUERY_TOKENS = 16;

    private static final int QUERIES = 40;
    private static final int WARM_QUERIES = 200;

    private static final long IDLE_PAUSE_MILLIS = 10;
    private static final long BUSY_PAUSE_MILLIS = 20;

    private final PoolUnderTest pool;
    private final Texts texts;
    private final int rounds;
    private final Consumer<String> progress;

    Latency(PoolUnderTest pool, Texts texts, int rounds, Consumer<String> progress) {
        this.pool = pool;
        this.texts = texts;
        this.rounds = rounds;
        this.progress = progress;
    }

    /**
     * One query.
     *
     * @param workMillis in the tokenizer and in the run
     * @param thereMillis from the caller to the worker's first step
     * @param backMillis from the end of the run to the caller
     */
    private record Answer(double totalMillis, double workMillis, double thereMillis, double backMillis) {}

    /** What queries beside documents of one length have shown. */
    private static final class Beside {
        private final List<String> documents;
        private final Samples queries = new Samples();
        private final Samples slices = new Samples();

        Beside(List<String> documents) {
            this.documents = documents;
        }
    }

    /** Queries alone and among documents, in turns. */
    List<Figure> measure() throws Exception {
        Samples overhead = new Samples();
        Samples idle = new Samples();
        Samples hops = new Samples();
        Samples there = new Samples();
        Samples back = new Samples();
        Map<Integer, Beside> beside = new LinkedHashMap<>();
        for (int tokens : new int[] {64, 512}) {
            beside.put(tokens, new Beside(texts.of(tokens, 128)));
        }
        List<String> queries = texts.of(QUERY_TOKENS, 512);
        progress.accept("warming up");
        Rehearsal.of(pool, texts);
        ask(queries, WARM_QUERIES, 0);
        try (ThreadHops floor = new ThreadHops(pool)) {
            for (int round = 0; round < rounds; round++) {
                hops.addAll(floor.measure(QUERIES, IDLE_PAUSE_MILLIS));
                ask(queries, QUERIES, IDLE_PAUSE_MILLIS).forEach(answer -> {
                    idle.add(answer.totalMillis());
                    overhead.add(answer.totalMillis() - answer.workMillis());
                    there.add(answer.thereMillis());
                    back.add(answer.backMillis());
                });
                for (Beside one : beside.values()) {
                    pool.models().takeDocumentSlices();
                    DocumentLoad load = new DocumentLoad(pool, one.documents);
                    ask(queries, QUERIES, BUSY_PAUSE_MILLIS).forEach(answer -> one.queries.add(answer.totalMillis()));
                    load.end();
                    one.slices.addAll(pool.models().takeDocumentSlices());
                }
                progress.accept("queries, round " + (round + 1) + " of " + rounds);
            }
        }
        List<Figure> figures = new ArrayList<>(List.of(
                Figure.millis("idle query, p50", idle.median()),
                Figure.millis("idle query, p99", idle.quantile(0.99)),
                Figure.millis("  from the caller to the worker's first step, p50", there.median()),
                Figure.millis("  from the end of the run to the caller, p50", back.median()),
                Figure.millis("one change of threads, p50", hops.median() / ThreadHops.CHANGES),
                Figure.millis("floor: the " + ThreadHops.CHANGES + " changes a query needs, p50", hops.median()),
                Figure.atMostMillis("pool overhead of an idle query, p50", 0.3, overhead.median()),
                Figure.millis("work in it beside the floor, p50", overhead.median() - hops.median()),
                Figure.millis("pool overhead of an idle query, p99", overhead.quantile(0.99))));
        beside.forEach((tokens, one) -> figures.addAll(besideFigures(tokens, one, idle)));
        return figures;
    }

    /** Each percentile is held against the same one: noise of the machine lengthens slices and queries alike. */
    private static List<Figure> besideFigures(int tokens, Beside one, Samples idle) {
        String documents = " documents of " + tokens + " tokens";
        String bound = "query beside" + documents + ", %s, against one slice and two idle queries";
        return List.of(
                Figure.millis("slice of" + documents + ", p50", one.slices.median()),
                Figure.millis("slice of" + documents + ", p99", one.slices.quantile(0.99)),
                Figure.atMostMillis(
                        String.format(bound, "p50"), one.slices.median() + 2 * idle.median(), one.queries.median()),
                Figure.atMostMillis(
                        String.format(bound, "p99"),
                        one.slices.quantile(0.99) + 2 * idle.quantile(0.99),
                        one.queries.quantile(0.99)));
    }

    /** One after the other. */
    private List<Answer> ask(List<String> queries, int count, long pauseMillis) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String text = queries.get(i % queries.size());
            if (pauseMillis > 0) {
                pool.nextCaller();
                await(pool.pause(pauseMillis));
            }
            answers.add(await(pool.onCaller(() -> ask(text))));
        }
        return answers;
    }

    private Future<Answer> ask(String text) {
        long start = System.nanoTime();
        return pool.query(text, new CancelSignal()).map(result -> {
            EmbedResult.Timing timing = result.timing();
            long end = System.nanoTime();
            return new Answer(
                    (end - start) / 1e6,
                    (timing.tokenizeNanos() + timing.inferenceNanos()) / 1e6,
                    (pool.models().queryStartNanos() - start) / 1e6,
                    (end - pool.models().runEndNanos()) / 1e6);
        });
    }
}
