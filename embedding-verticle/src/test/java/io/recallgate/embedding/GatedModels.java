package io.recallgate.embedding;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.model.RunFailedException;
import io.recallgate.embedding.model.RunTerminatedException;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.model.TextModelFactory;
import io.recallgate.embedding.model.TokenizedRow;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Real models, at whose doors a test can stand: it holds a thread while it loads or on its way into a native run, sees
 * when a run is inside native code, and counts. The loading, running and ending are the real model's.
 */
final class GatedModels implements TextModelFactory {

    private final AtomicInteger loads = new AtomicInteger();
    private final AtomicInteger nativeRuns = new AtomicInteger();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final List<String> deployments = new CopyOnWriteArrayList<>();
    private final Map<String, Gate> gates = new ConcurrentHashMap<>();
    private final Map<Integer, Gate> loadGates = new ConcurrentHashMap<>();
    private volatile boolean together;

    /** A door: whoever comes there waits until it is opened. */
    static final class Gate {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);
        private volatile boolean keeping;
        private volatile @Nullable Thread thread;

        /** Waits until a thread stands before it, or went through it. */
        void awaitReached() {
            await(reached);
        }

        boolean wasReached() {
            return reached.getCount() == 0;
        }

        Gate open() {
            opened.countDown();
            return this;
        }

        /**
         * Opens it, and keeps whoever comes through inside native code until it is let go or its run is ended: its rows
         * run again and again, so that nothing depends on how long a run takes on this machine.
         */
        Gate keepInside() {
            keeping = true;
            return open();
        }

        void letGo() {
            keeping = false;
        }

        /** Waits until the thread that came through is inside the runtime's native call. */
        void awaitInsideNativeCode() {
            awaitReached();
            while (!isInsideNativeCode()) {
                if (Thread.interrupted()) {
                    throw new IllegalStateException("the thread never went inside");
                }
                Thread.onSpinWait();
            }
        }

        boolean isInsideNativeCode() {
            Thread current = thread;
            return current != null
                    && Arrays.stream(current.getStackTrace())
                            .anyMatch(frame ->
                                    frame.getClassName().equals("ai.onnxruntime.OrtSession") && frame.isNativeMethod());
        }

        private void pass() {
            thread = Thread.currentThread();
            reached.countDown();
            await(opened);
        }

        /** Like native code, it does not notice an interrupt. */
        private static void await(CountDownLatch latch) {
            boolean interrupted = false;
            while (true) {
                try {
                    if (!latch.await(60, TimeUnit.SECONDS)) {
                        throw new IllegalStateException("nothing happened for 60 s");
                    }
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** All rows of a slice go into one native run, which so takes long. */
    GatedModels together() {
        together = true;
        return this;
    }

    /** A closed door before native runs with this text. */
    Gate gate(String text) {
        return gates.computeIfAbsent(text, ignored -> new Gate());
    }

    /** A closed door in the place of the one that was there. */
    Gate closeGate(String text) {
        Gate gate = new Gate();
        gates.put(text, gate);
        return gate;
    }

    /** A closed door before the load with this number, from 1. */
    Gate gateLoad(int number) {
        return loadGates.computeIfAbsent(number, ignored -> new Gate());
    }

    int loads() {
        return loads.get();
    }

    /** Native runs that came back with vectors. */
    int nativeRuns() {
        return nativeRuns.get();
    }

    /** Texts that got a vector, in order. */
    List<String> ran() {
        return List.copyOf(ran);
    }

    /** Deployment ids of the workers that loaded a model, in the order of their loads. */
    List<String> deployments() {
        return List.copyOf(deployments);
    }

    @Override
    public TextModel open(String model) {
        int number = loads.incrementAndGet();
        deployments.add(Vertx.currentContext().deploymentID());
        Gate gate = loadGates.get(number);
        if (gate != null) {
            gate.pass();
        }
        return new Gated(RealModel.factory().open(model));
    }

    private final class Gated implements TextModel {
        private final TextModel real;
        private final IdentityHashMap<TokenizedRow, String> texts = new IdentityHashMap<>();

        Gated(TextModel real) {
            this.real = real;
        }

        @Override
        public ModelProfile profile() {
            ModelProfile profile = real.profile();
            return together
                    ? new ModelProfile(
                            profile.identity(),
                            true,
                            profile.batchCosine(),
                            profile.vocabularySize(),
                            profile.residentBytes())
                    : profile;
        }

        @Override
        public long heldBytes() {
            return real.heldBytes();
        }

        @Override
        public TokenizedRow tokenize(EmbedInput input, InputType type) {
            TokenizedRow row = real.tokenize(input, type);
            texts.put(row, input instanceof EmbedInput.Text text ? text.text() : input.toString());
            return row;
        }

        @Override
        public List<EmbeddingVector> run(long runId, List<TokenizedRow> rows)
                throws RunTerminatedException, RunFailedException {
            List<String> inside =
                    rows.stream().map(row -> String.valueOf(texts.remove(row))).toList();
            List<Gate> passed = new ArrayList<>();
            for (String text : inside) {
                Gate gate = gates.get(text);
                if (gate != null) {
                    gate.pass();
                    passed.add(gate);
                }
            }
            List<EmbeddingVector> vectors = real.run(runId, rows);
            while (passed.stream().anyMatch(gate -> gate.keeping)) {
                vectors = real.run(runId, rows);
            }
            nativeRuns.incrementAndGet();
            ran.addAll(inside);
            return vectors;
        }

        @Override
        public void terminate(long runId) {
            real.terminate(runId);
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
