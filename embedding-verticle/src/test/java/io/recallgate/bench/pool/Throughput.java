package io.recallgate.bench.pool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Texts in a second, contender after contender on the same texts, round after round. */
final class Throughput {

    private static final int TEXTS = 512;
    private static final int WARM_ROUNDS = 1;
    private static final int LONGEST = 256;

    private final Texts texts;
    private final Plan plan;
    private final Consumer<String> progress;

    /**
     * How long it takes.
     *
     * @param rounds that count
     * @param seconds of each contender in each
     */
    record Plan(int rounds, double seconds) {}

    Throughput(Texts texts, Plan plan, Consumer<String> progress) {
        this.texts = texts;
        this.plan = plan;
        this.progress = progress;
    }

    /** One contender's figures, a value for each round. */
    private record Entry<C extends Contender>(C contender, Samples rates, Samples rowsADispatch) {
        Entry(C contender) {
            this(contender, new Samples(), new Samples());
        }
    }

    /** @param pool is measured against the others */
    List<Figure> measure(PoolUnderTest pool) throws Exception {
        List<Figure> figures = new ArrayList<>();
        progress.accept("warming up");
        Rehearsal.of(pool, texts);
        try (BareLoop bare = new BareLoop();
                LangChainModel inOneCall = LangChainModel.manyInOneCall(32);
                LangChainModel textByText = LangChainModel.textByText()) {
            for (int tokens : new int[] {16, 64, LONGEST}) {
                List<Entry<PoolContender>> pools = List.of(
                        new Entry<>(new PoolContender(pool, PoolUnderTest.ROWS)),
                        new Entry<>(new PoolContender(pool, 1)));
                Entry<BareLoop> loop = new Entry<>(bare);
                List<Entry<LangChainModel>> others = List.of(new Entry<>(inOneCall), new Entry<>(textByText));
                List<Entry<?>> all = new ArrayList<>(pools);
                all.add(loop);
                all.addAll(others);
                race(pool, all, tokens);
                String at = " at " + tokens + " tokens";
                all.forEach(one -> figures.add(
                        Figure.plain(one.contender.name() + at, Figure.number("%.1f texts/s", one.rates.median()))));
                Samples better = others.get(0).rates.orBetter(others.get(1).rates);
                pools.forEach(one -> figures.addAll(ratios(one, loop.rates, better, tokens)));
            }
        }
        return figures;
    }

    private void race(PoolUnderTest pool, List<Entry<?>> entries, int tokens) throws Exception {
        List<String> batch = texts.of(tokens, TEXTS);
        for (int round = -WARM_ROUNDS; round < plan.rounds; round++) {
            for (int turn = 0; turn < entries.size(); turn++) {
                Entry<?> one = entries.get(Math.floorMod(turn + round, entries.size()));
                long rowsBefore = pool.counted("rows");
                long slicesBefore = pool.counted("slices");
                Feed feed = new Feed(batch, System.nanoTime() + (long) (plan.seconds * 1e9));
                one.contender.embed(feed);
                double rate = feed.rate();
                long slices = pool.counted("slices") - slicesBefore;
                if (round >= 0) {
                    one.rates.add(rate);
                    one.rowsADispatch.add(slices == 0 ? 0 : (pool.counted("rows") - rowsBefore) / (double) slices);
                }
            }
            progress.accept("throughput at " + tokens + " tokens, round " + (round + 1) + " of " + plan.rounds);
        }
    }

    private static List<Figure> ratios(Entry<PoolContender> pool, Samples bare, Samples others, int tokens) {
        String what = pool.contender.name() + ", against ";
        String at = " at " + tokens + " tokens";
        double goal = tokens == 16 ? 0.92 : 0.97;
        String carried = Figure.number(", %.1f rows a dispatch", pool.rowsADispatch.median());
        double toOthers = pool.rates.over(others).median();
        String better = what + "the better LangChain4j" + at;
        return List.of(
                Figure.atLeast(
                        what + "the bare loop" + at + carried,
                        goal,
                        pool.rates.over(bare).median()),
                tokens == LONGEST
                        ? Figure.plain(better, Figure.number("%.3f", toOthers))
                        : Figure.atLeast(better, 1.5, toOthers));
    }
}
