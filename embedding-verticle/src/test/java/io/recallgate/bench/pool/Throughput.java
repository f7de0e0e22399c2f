package io.recallgate.bench.pool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Texts in a second, contender after contender on the same texts, round after round. */
final class Throughput {

    /** Tokens of a text, and how many texts make a round of about half a second for each contender. */
    private record Length(int tokens, int texts) {}

    private static final List<Length> LENGTHS = List.of(new Length(16, 240), new Length(64, 96), new Length(256, 24));

    private final Texts texts;
    private final int rounds;
    private final Consumer<String> progress;

    Throughput(Texts texts, int rounds, Consumer<String> progress) {
        this.texts = texts;
        this.rounds = rounds;
        this.progress = progress;
    }

    /** @param pool is measured against the others; its figures go first */
    List<Figure> measure(PoolUnderTest pool) throws Exception {
        List<Figure> figures = new ArrayList<>();
        try (BareLoop bare = new BareLoop();
                LangChainModel oneCall = new LangChainModel(true);
                LangChainModel twoThreads = new LangChainModel(false)) {
            List<Contender> contenders = List.of(pool, bare, oneCall, twoThreads);
            for (Length length : LENGTHS) {
                figures.addAll(measure(contenders, length.tokens(), length.texts()));
            }
        }
        return figures;
    }

    private List<Figure> measure(List<Contender> contenders, int tokens, int count) throws Exception {
        List<Samples> rates = new ArrayList<>();
        contenders.forEach(ignored -> rates.add(new Samples()));
        Samples toBare = new Samples();
        Samples toLangChain = new Samples();
        // The first rounds warm everybody up and count for nobody.
        for (int round = -2; round < rounds; round++) {
            List<String> batch = texts.of(tokens, count);
            double[] rate = new double[contenders.size()];
            for (int turn = 0; turn < contenders.size(); turn++) {
                int who = Math.floorMod(turn + round, contenders.size());
                long start = System.nanoTime();
                contenders.get(who).embed(batch);
                rate[who] = count * 1e9 / (System.nanoTime() - start);
            }
            progress.accept("throughput at " + tokens + " tokens, round " + (round + 1) + " of " + rounds);
            if (round >= 0) {
                for (int who = 0; who < rate.length; who++) {
                    rates.get(who).add(rate[who]);
                }
                toBare.add(rate[0] / rate[1]);
                toLangChain.add(rate[0] / Math.max(rate[2], rate[3]));
            }
        }
        List<Figure> figures = new ArrayList<>();
        for (int who = 0; who < contenders.size(); who++) {
            figures.add(Figure.plain(
                    contenders.get(who).name() + " at " + tokens + " tokens",
                    String.format("%.1f texts/s", rates.get(who).median())));
        }
        figures.add(Figure.atLeast(
                "pool against the bare loop at " + tokens + " tokens, " + PoolUnderTest.ROWS + " rows a dispatch",
                tokens == 16 ? 0.92 : 0.97,
                toBare.median()));
        String better = "pool against the better LangChain4j at " + tokens + " tokens";
        figures.add(
                tokens == 256
                        ? Figure.plain(better, String.format("%.3f", toLangChain.median()))
                        : Figure.atLeast(better, 1.5, toLangChain.median()));
        return figures;
    }
}
