package io.recallgate.bench;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.recallgate.embedding.model.ModelDescriptor;
import io.recallgate.embedding.model.ModelFiles;
import io.recallgate.embedding.model.ModelStore;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.model.ResidentMemory;
import java.nio.LongBuffer;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * What ONNX Runtime's CPU arena costs and saves: runs of random length with a session of the real model that has no arena,
 * has one, or has one that shrinks after each run of more than one full row. One setting a process, since memory that a
 * process gave back once comes back cheaper:
 *
 * <pre>{@code
 * ./recallgate bench jmh -l   # compiles, and writes the class path
 * cd embedding-verticle
 * for arena in off on shrinking; do for rows in 1 8; do
 *   MALLOC_ARENA_MAX=2 java -Xmx300m -cp "target/test-classes:target/classes:$(cat target/bench.classpath)" \
 *     io.recallgate.bench.ArenaCost $arena $rows
 * done; done
 * }</pre>
 */
public final class ArenaCost {

    private static final ModelFiles FILES = new ModelStore(RealModel.dataDirectory()).resolve(RealModel.NAME);
    private static final int PADDED_TOKENS = 40_960;
    private static final int SHORTEST = 8;
    private static final int FIRST_WORD = 1_000;
    private static final int WORDS = 20_000;

    private ArenaCost() {}

    /** @param args {@code off}, {@code on} or {@code shrinking}, and the rows of each run */
    public static void main(String[] args) throws Exception {
        String arena = args[0];
        int rows = Integer.parseInt(args[1]);
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(1);
            options.addConfigEntry("session.intra_op.allow_spinning", "0");
            options.setMemoryPatternOptimization(false);
            options.setCPUArenaAllocator(!"off".equals(arena));
            long before = ResidentMemory.processBytes();
            OrtSession session = environment.createSession(FILES.model().toString(), options);
            long loaded = ResidentMemory.processBytes();
            long nanos = runs(environment, session, rows, "shrinking".equals(arena));
            long after = ResidentMemory.processBytes();
            session.close();
            System.out.printf(
                    Locale.ROOT,
                    "arena %s, %d rows a run: %.2f ms a full row, %d MiB held after the runs, %d MiB after the close%n",
                    arena,
                    rows,
                    nanos / 1e6 / (PADDED_TOKENS / (double) window()),
                    (after - loaded) >> 20,
                    (ResidentMemory.processBytes() - before) >> 20);
        }
    }

    /** Short runs are many and long ones few; the last is the longest. */
    private static long runs(OrtEnvironment environment, OrtSession session, int rows, boolean shrinking)
            throws OrtException {
        Random random = new Random(1);
        long nanos = 0;
        int done = 0;
        while (done < PADDED_TOKENS) {
            double share = random.nextDouble();
            int length = (int) (SHORTEST + share * share * (window() - SHORTEST));
            done += rows * length;
            nanos += run(environment, session, row(random, rows, done < PADDED_TOKENS ? length : window()), shrinking);
        }
        return nanos;
    }

    private static long[][] row(Random random, int rows, int length) {
        long[][] batch = new long[rows][length];
        for (long[] row : batch) {
            for (int i = 0; i < length; i++) {
                row[i] = FIRST_WORD + (long) random.nextInt(WORDS);
            }
        }
        return batch;
    }

    private static long run(OrtEnvironment environment, OrtSession session, long[][] batch, boolean shrinking)
            throws OrtException {
        long tokens = batch[0].length;
        long[] shape = {batch.length, tokens};
        int cells = batch.length * batch[0].length;
        LongBuffer ones = LongBuffer.allocate(cells);
        while (ones.hasRemaining()) {
            ones.put(1);
        }
        ones.flip();
        Map<String, OnnxTensor> inputs = new HashMap<>();
        ModelDescriptor.Inputs names = FILES.descriptor().inputs();
        inputs.put(names.ids(), OnnxTensor.createTensor(environment, batch));
        inputs.put(names.mask(), OnnxTensor.createTensor(environment, ones, shape));
        if (names.types() != null) {
            inputs.put(names.types(), OnnxTensor.createTensor(environment, LongBuffer.allocate(cells), shape));
        }
        try (OrtSession.RunOptions options = new OrtSession.RunOptions()) {
            if (shrinking && cells > window()) {
                options.addRunConfigEntry("memory.enable_memory_arena_shrinkage", "cpu:0");
            }
            long started = System.nanoTime();
            session.run(inputs, options).close();
            return System.nanoTime() - started;
        } finally {
            inputs.values().forEach(OnnxTensor::close);
        }
    }

    private static int window() {
        return FILES.descriptor().maxTokens();
    }
}
