package io.recallgate.bench.pool;

import static io.recallgate.bench.pool.PoolUnderTest.await;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;

/** What a worker holds, and what stays the same however long it goes on: resident memory, generations, loads. */
final class Endurance {

    private static final int CHECKPOINTS = 12;
    /** The first of them grow buffers, code and heap to what the longest texts need. */
    private static final int WARM_CHECKPOINTS = 3;

    private static final int LONGEST_WORDS = 600;
    private static final int BATCH = 16;

    private final Texts texts;
    private final Consumer<String> progress;
    private final Random random = new Random(13);

    Endurance(Texts texts, Consumer<String> progress) {
        this.texts = texts;
        this.progress = progress;
    }

    /** @param lengths texts of random length to embed */
    List<Figure> measure(int lengths) throws Exception {
        List<Figure> figures = new ArrayList<>(perWorker());
        try (PoolUnderTest pool = new PoolUnderTest()) {
            figures.addAll(randomLengths(pool, lengths));
            figures.addAll(thousandCancels(pool));
        }
        return figures;
    }

    /** One worker after another, each after runs of its longest texts. */
    private List<Figure> perWorker() throws Exception {
        List<Figure> figures = new ArrayList<>();
        List<PoolUnderTest> pools = new ArrayList<>();
        ProcessMemory before = ProcessMemory.settled();
        for (String which : List.of("first worker, libraries included", "second worker", "third worker")) {
            PoolUnderTest pool = new PoolUnderTest(PoolLimits.defaults(1));
            pools.add(pool);
            embed(pool, texts.ofWords(LONGEST_WORDS, 2 * BATCH));
            ProcessMemory after = ProcessMemory.settled();
            figures.add(Figure.plain(
                    "resident for the " + which,
                    String.format(
                            Locale.ROOT,
                            "%.0f MiB native, charged with %.0f",
                            after.nativeMib() - before.nativeMib(),
                            pool.chargedBytes() / (double) (1 << 20))));
            progress.accept("resident memory of the " + which);
            before = after;
        }
        for (PoolUnderTest pool : pools) {
            pool.close();
        }
        return figures;
    }

    private List<Figure> randomLengths(PoolUnderTest pool, int count) throws Exception {
        Samples nativeMib = new Samples();
        Samples jvmMib = new Samples();
        Samples heapMib = new Samples();
        int each = count / CHECKPOINTS;
        for (int checkpoint = 1; checkpoint <= CHECKPOINTS; checkpoint++) {
            List<String> some = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                some.add(texts.ofWords(1 + random.nextInt(500)));
            }
            embed(pool, some);
            some.clear();
            ProcessMemory now = ProcessMemory.settled();
            progress.accept(String.format(
                    Locale.ROOT,
                    "random lengths, %d of %d: native %.0f MiB, classes and code %.0f MiB, live heap %.0f MiB",
                    checkpoint,
                    CHECKPOINTS,
                    now.nativeMib(),
                    now.jvmMib(),
                    now.heapUsedMib()));
            if (checkpoint > WARM_CHECKPOINTS) {
                nativeMib.add(now.nativeMib());
                jvmMib.add(now.jvmMib());
                heapMib.add(now.heapUsedMib());
            }
        }
        String what = String.format(
                Locale.ROOT, " over the last %,d of %,d texts of 1 to 500 words", each * nativeMib.size(), count);
        return List.of(
                trend("native memory" + what, nativeMib, "within 3 %"),
                trend("classes and compiled code" + what, jvmMib, ""),
                trend("live heap" + what, heapMib, ""));
    }

    /** The straight line through the samples, from its first point to its last, against their median. */
    private static Figure trend(String what, Samples mib, String goal) {
        double grown = mib.slope() * (mib.size() - 1);
        double percent = 100 * grown / mib.median();
        return new Figure(
                what,
                goal,
                String.format(Locale.ROOT, "%+.1f MiB, %+.1f %% of %.0f MiB", grown, percent, mib.median()),
                goal.isEmpty() || percent <= 3);
    }

    private List<Figure> thousandCancels(PoolUnderTest pool) throws Exception {
        List<Long> before = pool.generations();
        long starts = pool.counted("starts");
        long terminations = pool.counted("terminations");
        Samples nativeMib = new Samples();
        for (int tenth = 1; tenth <= 10; tenth++) {
            cancelHundred(pool);
            nativeMib.add(ProcessMemory.settled().nativeMib());
            progress.accept("cancels, " + tenth * 100 + " of 1000");
        }
        boolean same = pool.generations().equals(before) && pool.counted("starts") == starts;
        return List.of(
                new Figure(
                        "generations and model loads after 1,000 cancels under load, "
                                + (pool.counted("terminations") - terminations) + " runs ended",
                        "unchanged",
                        same ? "unchanged" : before + " became " + pool.generations(),
                        same),
                trend("native memory over the 1,000 cancels", nativeMib, "within 3 %"));
    }

    private void cancelHundred(PoolUnderTest pool) throws Exception {
        List<Future<EmbedResult>> given = new ArrayList<>();
        List<CancelSignal> signals = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            CancelSignal signal = new CancelSignal();
            signals.add(signal);
            List<String> rows = texts.ofWords(1 + random.nextInt(300), 1 + random.nextInt(PoolUnderTest.ROWS));
            given.add(pool.onCaller(() -> pool.documents(rows, signal)));
            await(pool.pause(1L + random.nextInt(8)));
            signals.get(random.nextInt(signals.size())).cancel(CancelCause.CALLER);
        }
        signals.forEach(signal -> signal.cancel(CancelCause.DISCONNECTED));
        for (Future<EmbedResult> one : given) {
            await(one.otherwiseEmpty());
        }
        pool.awaitAll("idle");
    }

    /** In requests of some texts, a few at a time. */
    private static void embed(PoolUnderTest pool, List<String> some) throws Exception {
        Deque<List<String>> left = new ArrayDeque<>();
        for (int from = 0; from < some.size(); from += BATCH) {
            left.add(List.copyOf(some.subList(from, Math.min(some.size(), from + BATCH))));
        }
        await(pool.onCaller(() -> {
            List<Future<?>> lanes = new ArrayList<>();
            for (int lane = 0; lane < 2 * PoolUnderTest.WORKERS; lane++) {
                lanes.add(embedNext(pool, left));
            }
            return Future.all(lanes);
        }));
    }

    /** On the caller's event loop, which alone takes from {@code left}. */
    private static Future<?> embedNext(PoolUnderTest pool, Deque<List<String>> left) {
        List<String> next = left.poll();
        return next == null
                ? Future.succeededFuture()
                : pool.documents(next, new CancelSignal()).compose(done -> embedNext(pool, left));
    }
}
