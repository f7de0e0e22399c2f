package io.recallgate.bench;

import io.recallgate.recall.api.RankingSettings.FusionMethod;
import io.recallgate.recall.lexical.LexicalQuery;
import io.recallgate.recall.lexical.LuceneAnalysis;
import io.recallgate.recall.rank.Evidence;
import io.recallgate.recall.rank.Fused;
import io.recallgate.recall.rank.Fusion;
import io.recallgate.recall.rank.Pool;
import io.recallgate.recall.rank.Scored;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a recall computes on its own: the question's words and the fusion of two full legs. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 2)
public class RankingBenchmark {

    private static final int CANDIDATES = 100;

    private final LuceneAnalysis analysis = new LuceneAnalysis();
    private List<Evidence> lexical;
    private List<Scored> vector;

    @Setup
    public void fill() {
        Random random = new Random(7);
        lexical = new ArrayList<>();
        vector = new ArrayList<>();
        for (int i = 0; i < CANDIDATES; i++) {
            UUID id = new UUID(random.nextLong(), random.nextLong());
            lexical.add(Evidence.ofWords(id, 10 - i * 0.1, i + 1, Map.of("text", 10 - i * 0.1)));
            // Half of the neighbours are also found by their words.
            vector.add(new Scored(i % 2 == 0 ? id : new UUID(random.nextLong(), random.nextLong()), 0.9 - i * 0.001));
        }
    }

    @Benchmark
    public LexicalQuery analyseQuestion() {
        return analysis.query("When did Jonas say that parseConfig() fails on machines with another locale?");
    }

    @Benchmark
    public List<Fused> fuse() {
        return Fusion.fuse(new Pool(lexical, vector).evidence(), FusionMethod.SCORE, 10);
    }
}
