package io.recallgate.embedding;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.model.ModelProfile;
import io.recallgate.embedding.model.RunFailedException;
import io.recallgate.embedding.model.RunTerminatedException;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.model.TextModelFactory;
import io.recallgate.embedding.model.TokenizedRow;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Models whose every step a test decides: which texts block and until when, which fail, whether a termination is
 * heeded. A text's vector depends on the text alone. Thread-safe.
 */
public final class ScriptedModels implements TextModelFactory {

    /** Dimensions of every vector. */
    public static final int DIMENSIONS = 4;

    private final AtomicInteger loads = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean closingFails;
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final Map<String, Block> blocks = new ConcurrentHashMap<>();
    private final Map<String, RunFailedException> poison = new ConcurrentHashMap<>();
    private final Map<String, String> unusable = new ConcurrentHashMap<>();
    private final Deque<FailureException> startFailures = new ArrayDeque<>();
    private volatile boolean batchInvariant;
    private volatile long heldBytes;
    private volatile @Nullable CountDownLatch loading;

    /** One text that does not come back before it is released. */
    public static final class Block {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private final boolean heedsTermination;

        private Block(boolean heedsTermination) {
            this.heedsTermination = heedsTermination;
        }

        /** Waits until a worker is inside the run of this text. */
        public void awaitEntered() {
            await(entered);
        }

        /** Whether a worker ever was inside. */
        public boolean wasEntered() {
            return entered.getCount() == 0;
        }

        /** Lets the run end. */
        public void release() {
            released.countDown();
        }
    }

    /** Runs of this text block until released or terminated. */
    public Block block(String text) {
        return blocks.computeIfAbsent(text, key -> new Block(true));
    }

    /** Runs of this text block until released, whatever else is asked: a stuck thread. */
    public Block blockForGood(String text) {
        return blocks.computeIfAbsent(text, key -> new Block(false));
    }

    /** Every run with this text fails. */
    public ScriptedModels poison(String text, boolean outOfMemory) {
        poison.put(text, new RunFailedException("scripted", outOfMemory));
        return this;
    }

    /** The next load fails like this. */
    public ScriptedModels failNextLoad(FailureException failure) {
        synchronized (startFailures) {
            startFailures.add(failure);
        }
        return this;
    }

    /** Loads block until the latch is released. */
    public ScriptedModels holdLoads(CountDownLatch latch) {
        loading = latch;
        return this;
    }

    /** Whether rows may share a run. */
    public ScriptedModels batchInvariant(boolean value) {
        batchInvariant = value;
        return this;
    }

    /** Runs from now on make their models hold so much. */
    public ScriptedModels holdBytes(long bytes) {
        heldBytes = bytes;
        return this;
    }

    /** Whether models that are closed from now on throw after it. */
    void failClosing(boolean wanted) {
        closingFails = wanted;
    }

    /** Models loaded so far. */
    public int loads() {
        return loads.get();
    }

    /** Models that are not closed. */
    public int open() {
        return open.get();
    }

    /** Texts that ran to their end, in order. */
    public List<String> ran() {
        return List.copyOf(ran);
    }

    /** The vector of a text. */
    public static EmbeddingVector vectorOf(String text) {
        double angle = text.hashCode() * 1e-9;
        return EmbeddingVector.of((float) Math.cos(angle), (float) Math.sin(angle), 0, 0);
    }

    @Override
    public ModelIdentity identify(String model) {
        Block block = blocks.get(model);
        if (block != null) {
            block.entered.countDown();
            await(block.released);
        }
        String detail = unusable.get(model);
        if (detail != null) {
            throw new FailureException(FailureCode.MODEL_UNUSABLE, detail);
        }
        // Every model but the first has a name of its own in the tests, and so a fingerprint of its own.
        String fingerprint = model.equals("scripted") ? "f".repeat(64) : "of " + model;
        return new ModelIdentity(model, fingerprint, DIMENSIONS, 512);
    }

    /** Checks of this model's files fail. */
    public ScriptedModels unusable(String model, String detail) {
        unusable.put(model, detail);
        return this;
    }

    /** Checks of this model's files block until released. */
    public Block blockCheck(String model) {
        return blockForGood(model);
    }

    @Override
    public TextModel open(String model) {
        loads.incrementAndGet();
        CountDownLatch latch = loading;
        if (latch != null) {
            await(latch);
        }
        synchronized (startFailures) {
            if (!startFailures.isEmpty()) {
                throw startFailures.remove();
            }
        }
        open.incrementAndGet();
        return new Model(model);
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nothing happened for 30 s");
            }
        } catch (InterruptedException e) {
            // Closing a worker pool interrupts its thread; native code would not notice, so neither do we.
            awaitUninterrupted(latch);
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean done = false;
        while (!done) {
            try {
                done = latch.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                done = false;
            }
        }
    }

    private final class Model implements TextModel {
        private final ModelProfile profile;
        private final IdentityHashMap<TokenizedRow, String> texts = new IdentityHashMap<>();
        private volatile @Nullable Block current;
        private volatile long doomed;
        private boolean closed;

        Model(String name) {
            this.profile = new ModelProfile(identify(name), batchInvariant, 1, 100, 1 << 20);
        }

        @Override
        public ModelProfile profile() {
            return profile;
        }

        @Override
        public long heldBytes() {
            return Math.max(profile.residentBytes(), heldBytes);
        }

        @Override
        public TokenizedRow tokenize(EmbedInput input, InputType type) {
            if (input instanceof EmbedInput.Tokens tokens
                    && IntStream.of(tokens.ids()).anyMatch(id -> id >= profile.vocabularySize())) {
                throw FailureException.ofField(FailureCode.INVALID_FIELD, "input", "as a model says");
            }
            String text = input instanceof EmbedInput.Text given ? given.text() : input.toString();
            TokenizedRow row = TokenizedRow.ofLength(Math.min(512, text.length() + 2), text.length() > 510);
            texts.put(row, text);
            return row;
        }

        @Override
        public List<EmbeddingVector> run(long runId, List<TokenizedRow> rows)
                throws RunTerminatedException, RunFailedException {
            List<EmbeddingVector> vectors = new ArrayList<>();
            for (TokenizedRow row : rows) {
                RunFailedException failure = poison.get(String.valueOf(texts.get(row)));
                if (failure != null) {
                    throw failure; // before any row has run: each can be tried alone afterwards
                }
            }
            for (TokenizedRow row : rows) {
                String text = String.valueOf(texts.remove(row));
                Block block = blocks.get(text);
                if (block != null) {
                    current = block;
                    block.entered.countDown();
                    await(block.released);
                    current = null;
                }
                if (doomed == runId) {
                    throw new RunTerminatedException();
                }
                ran.add(text);
                vectors.add(vectorOf(text));
            }
            return vectors;
        }

        @Override
        public void terminate(long runId) {
            doomed = runId;
            Block block = current;
            if (block != null && block.heedsTermination) {
                block.released.countDown();
            }
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                open.decrementAndGet();
                if (closingFails) {
                    throw new IllegalStateException("scripted");
                }
            }
        }
    }
}
