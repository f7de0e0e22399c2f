package io.recallgate.bench;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.model.TokenizedRow;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What the real model costs by itself: tokenising and one native run of one row. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 2)
public class NativeRunBenchmark {

    /** Words of the text; a little more tokens. */
    @Param({"16", "64", "256"})
    public int words;

    private TextModel model;
    private EmbedInput input;
    private TokenizedRow row;

    @Setup
    public void open() {
        model = RealModel.factory().open(RealModel.NAME);
        input = new EmbedInput.Text("memory ".repeat(words).strip());
        row = model.tokenize(input, InputType.QUERY);
    }

    @TearDown
    public void close() {
        model.close();
    }

    @Benchmark
    public TokenizedRow tokenise() {
        return model.tokenize(input, InputType.QUERY);
    }

    @Benchmark
    public List<EmbeddingVector> run() throws Exception {
        return model.run(1, List.of(row));
    }
}
