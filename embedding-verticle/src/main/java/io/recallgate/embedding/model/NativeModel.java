package io.recallgate.embedding.model;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.RunOptions;
import ai.onnxruntime.OrtSession.SessionOptions;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A model in ONNX Runtime. One intra-op thread, since throughput comes from several workers; no spinning, which burns
 * seconds of CPU after each query; no memory pattern, which keeps a plan for every shape; loaded by path, since loading
 * from bytes doubles it.
 *
 * <p>The CPU arena is on: without it each run asks the system for its memory and gives it back, and pays a page fault for
 * every page of it. What the arena would keep of the largest run ever, up to 370 MiB for eight full rows, goes back right
 * after any run that is larger than one full row, so a session keeps what one row needs (benchmark
 * {@code ArenaCost}).
 */
public final class NativeModel implements TextModel {

    /** Texts of clearly different lengths: padding is what shows a batch-dependent model. */
    private static final List<String> PROBES = List.of(
            "Where do we keep the spare key?",
            "The build takes four minutes because the integration tests start PostgreSQL for every module again.",
            "ok",
            "明日の会議は午後三時に変更になりました。");

    /** A text must get the same vector alone and in company (CONTRACTS A25). */
    static final double MIN_BATCH_COSINE = 0.9999;

    private static final long PROBE_RUN = -1;

    /** A run with this option gives back, when it ended, what the arena does not need any more. */
    private static final String SHRINK_ARENA = "memory.enable_memory_arena_shrinkage";

    private final ModelFiles files;
    private final Tokenizer tokenizer;
    private final OrtEnvironment environment;
    private final SessionOptions options;
    private final OrtSession session;
    private final NativeGate gate;
    private final RunGuard guard = new RunGuard();
    private final RunBuffers buffers;
    private final NativeGate.Resource resource = new Ending();
    private @Nullable ModelProfile profile;
    /** Working memory of the largest run so far, by estimate. */
    private long workingBytes;

    private boolean closed;

    private NativeModel(
            ModelFiles files, Tokenizer tokenizer, OrtEnvironment environment, SessionOptions options, NativeGate gate)
            throws OrtException {
        this.files = files;
        this.tokenizer = tokenizer;
        this.environment = environment;
        this.options = options;
        this.gate = gate;
        this.session = environment.createSession(files.model().toString(), options);
        this.buffers = new RunBuffers(files.descriptor().dimensions());
    }

    /**
     * Loads and measures a model. Blocks for some hundred milliseconds on the calling thread, and nothing can stop it.
     * {@link NativeLibraries#prepare} must have run.
     *
     * @throws FailureException {@code model-unusable} if the files are not a model of this kind; {@code shutting-down}
     *     if the process is ending
     */
    public static NativeModel open(ModelFiles files) {
        NativeGate gate = NativeGate.process();
        long before = ResidentMemory.processBytes();
        NativeModel model = create(files, gate);
        try {
            model.requireGraph();
            double cosine = model.measureBatchCosine();
            long growth = ResidentMemory.processBytes() - before;
            model.profile = new ModelProfile(
                    files.identity(),
                    cosine >= MIN_BATCH_COSINE,
                    cosine,
                    files.descriptor().vocabularySize(),
                    ResidentMemory.plausibleBytes(growth, files.modelBytes()));
            return model;
        } catch (RunTerminatedException e) {
            model.close();
            throw new FailureException(FailureCode.SHUTTING_DOWN, "the process is ending");
        } catch (RunFailedException | RuntimeException e) {
            model.close();
            throw e instanceof FailureException failure ? failure : unusable(files, e);
        }
    }

    private static NativeModel create(ModelFiles files, NativeGate gate) {
        gate.enter("loading " + files.descriptor().name());
        SessionOptions options = null;
        Tokenizer tokenizer = null;
        try {
            tokenizer = Tokenizer.open(files.tokenizer(), files.descriptor());
            OrtEnvironment environment =
                    OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR, OrtEnvironment.DEFAULT_NAME);
            options = sessionOptions();
            NativeModel model = new NativeModel(files, tokenizer, environment, options, gate);
            gate.register(model.resource);
            return model;
        } catch (OrtException | RuntimeException | LinkageError e) {
            if (options != null) {
                options.close();
            }
            if (tokenizer != null) {
                tokenizer.close();
            }
            throw e instanceof FailureException failure ? failure : unusable(files, e);
        } finally {
            gate.leave();
        }
    }

    private static SessionOptions sessionOptions() throws OrtException {
        SessionOptions options = new SessionOptions();
        options.setIntraOpNumThreads(1);
        options.setInterOpNumThreads(1);
        options.addConfigEntry("session.intra_op.allow_spinning", "0");
        options.addConfigEntry("session.inter_op.allow_spinning", "0");
        options.setCPUArenaAllocator(true);
        options.setMemoryPatternOptimization(false);
        return options;
    }

    @Override
    public ModelProfile profile() {
        ModelProfile measured = profile;
        if (measured == null) {
            throw new IllegalStateException("not measured yet");
        }
        return measured;
    }

    @Override
    public long heldBytes() {
        return profile().residentBytes() + buffers.bytes() + Math.max(0, workingBytes - ResidentMemory.WORKING_BYTES);
    }

    @Override
    public TokenizedRow tokenize(EmbedInput input, InputType type) {
        gate.enter("tokenizer");
        try {
            return tokenizer.tokenize(input, type);
        } finally {
            gate.leave();
        }
    }

    @Override
    public List<EmbeddingVector> run(long runId, List<TokenizedRow> rows)
            throws RunTerminatedException, RunFailedException {
        if (runId <= 0) {
            throw new IllegalArgumentException("run ids are positive: " + runId);
        }
        return runNative(runId, rows);
    }

    private List<EmbeddingVector> runNative(long runId, List<TokenizedRow> rows)
            throws RunTerminatedException, RunFailedException {
        gate.enter("run");
        try (RunOptions runOptions = new RunOptions()) {
            if (!guard.begin(runId, runOptions)) {
                throw new RunTerminatedException();
            }
            try {
                if (gate.isClosed()) {
                    // Between entering and publishing, a shutdown found nothing to terminate.
                    throw new RunTerminatedException();
                }
                return runPublished(rows, runOptions);
            } finally {
                guard.end();
            }
        } catch (OrtException e) {
            if (guard.wasTerminated()) {
                throw new RunTerminatedException();
            }
            String words = String.valueOf(e.getMessage());
            throw new RunFailedException(words, isOutOfMemory(words));
        } finally {
            gate.leave();
        }
    }

    private List<EmbeddingVector> runPublished(List<TokenizedRow> rows, RunOptions runOptions) throws OrtException {
        ModelDescriptor descriptor = files.descriptor();
        buffers.fill(rows);
        workingBytes = Math.max(workingBytes, ResidentMemory.workingBytes(buffers.shape()));
        long[] shape = buffers.shape();
        if (shape[0] * shape[1] > descriptor.maxTokens()) {
            runOptions.addRunConfigEntry(SHRINK_ARENA, "cpu:0");
        }
        Map<String, OnnxTensor> inputs = new LinkedHashMap<>();
        List<OnnxTensor> opened = new ArrayList<>();
        try {
            inputs.put(descriptor.inputs().ids(), keep(opened, buffers.ids(), shape));
            inputs.put(descriptor.inputs().mask(), keep(opened, buffers.mask(), shape));
            String types = descriptor.inputs().types();
            if (types != null) {
                inputs.put(types, keep(opened, buffers.types(), shape));
            }
            OnnxTensor output = OnnxTensor.createTensor(environment, buffers.states(), buffers.stateShape());
            opened.add(output);
            try (OrtSession.Result result =
                    session.run(inputs, Set.of(), Map.of(descriptor.output(), output), runOptions)) {
                if (result.size() != 1) {
                    throw new IllegalStateException("one output was asked for, not " + result.size());
                }
                return Pooler.pool(buffers, rows, descriptor);
            }
        } finally {
            opened.forEach(OnnxTensor::close);
        }
    }

    private OnnxTensor keep(List<OnnxTensor> opened, LongBuffer buffer, long[] shape) throws OrtException {
        OnnxTensor tensor = OnnxTensor.createTensor(environment, buffer, shape);
        opened.add(tensor);
        return tensor;
    }

    @Override
    public void terminate(long runId) {
        guard.terminate(runId);
    }

    @Override
    public void close() {
        if (gate.enterToFree(resource)) {
            try {
                resource.free();
            } finally {
                gate.leave();
            }
        }
    }

    /** Says which name of the descriptor the graph does not have, before a run fails in words of its own. */
    private void requireGraph() {
        Set<String> graphInputs = session.getInputNames();
        ModelDescriptor descriptor = files.descriptor();
        List<String> wanted = new ArrayList<>(
                List.of(descriptor.inputs().ids(), descriptor.inputs().mask()));
        if (descriptor.inputs().types() != null) {
            wanted.add(descriptor.inputs().types());
        }
        if (!graphInputs.equals(Set.copyOf(wanted))) {
            throw new FailureException(
                    FailureCode.MODEL_UNUSABLE,
                    files.model() + " has the inputs " + graphInputs + ", not " + wanted + ": correct inputs in "
                            + ModelDescriptor.FILE);
        }
        if (!session.getOutputNames().contains(descriptor.output())) {
            throw new FailureException(
                    FailureCode.MODEL_UNUSABLE,
                    files.model() + " has the outputs " + session.getOutputNames() + ", not " + descriptor.output()
                            + ": correct output in " + ModelDescriptor.FILE);
        }
    }

    /** Warms the session up, and finds the lowest cosine between a text alone and the same text among others. */
    private double measureBatchCosine() throws RunTerminatedException, RunFailedException {
        List<TokenizedRow> rows = PROBES.stream()
                .map(text -> tokenize(new EmbedInput.Text(text), InputType.DOCUMENT))
                .toList();
        List<EmbeddingVector> together = runNative(PROBE_RUN, rows);
        double lowest = 1;
        for (int i = 0; i < rows.size(); i++) {
            EmbeddingVector alone = runNative(PROBE_RUN, List.of(rows.get(i))).get(0);
            EmbeddingVector unitAlone = alone.truncated(alone.dimensions());
            double cosine = unitAlone.dot(together.get(i).truncated(alone.dimensions()));
            if (Double.isNaN(cosine)) {
                throw new FailureException(
                        FailureCode.MODEL_UNUSABLE,
                        files.model() + " computes vectors that are not numbers: use another export of the model");
            }
            lowest = Math.min(lowest, cosine);
        }
        return lowest;
    }

    /** The runtime has no code of its own for this; the words are those of its allocators and of the C++ library. */
    private static boolean isOutOfMemory(String words) {
        return words.contains("Failed to allocate memory")
                || words.contains("bad_alloc")
                || words.contains("bad allocation");
    }

    private static FailureException unusable(ModelFiles files, Throwable cause) {
        return new FailureException(
                        FailureCode.MODEL_UNUSABLE,
                        files.model() + " cannot be loaded as an ONNX model that fits " + ModelDescriptor.FILE
                                + ": copy it again, or correct the descriptor")
                .causedBy(cause);
    }

    /** The gate's handle; the gate's lock or the owner alone calls it. */
    private final class Ending implements NativeGate.Resource {

        @Override
        public void interruptRun() {
            guard.terminateCurrent();
        }

        @Override
        public void free() {
            if (closed) {
                return;
            }
            closed = true;
            tokenizer.close();
            try {
                session.close();
            } catch (OrtException e) {
                throw new IllegalStateException("an idle session closes", e);
            }
            options.close();
        }
    }
}
