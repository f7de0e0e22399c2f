package io.recallgate.bench.pool;

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
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Real models that tell what their workers do with them. Two looks at the clock for each row are all it costs. */
final class WatchedModels implements TextModelFactory {

    private final TextModelFactory real = RealModel.factory();
    private final Samples documentSlices = new Samples();
    private volatile Feed feed = new Feed(List.of(), System.nanoTime());
    private volatile long queryStartNanos;
    private volatile long runEndNanos;
    private volatile boolean rehearsing;

    @Override
    public TextModel open(String model) {
        return new Watched(real.open(model));
    }

    /** Who is told of finished rows from now on. */
    void tell(Feed listener) {
        feed = listener;
    }

    /** Whether runs are left out from now on; the vectors of one that was not stand for all. */
    void rehearse(boolean wanted) {
        rehearsing = wanted;
    }

    /** When a worker last took up a query, on {@link System#nanoTime}. */
    long queryStartNanos() {
        return queryStartNanos;
    }

    /** When a worker last came out of a run. */
    long runEndNanos() {
        return runEndNanos;
    }

    /** Milliseconds that slices of documents took their workers since the last call. */
    Samples takeDocumentSlices() {
        synchronized (documentSlices) {
            return documentSlices.takeAll();
        }
    }

    /** One worker's; its thread calls it, but for {@code terminate}. */
    private final class Watched implements TextModel {

        private final TextModel model;
        /** All rows of a slice are tokenised before the first runs, so a row that is tokenised after a run begins one. */
        private boolean ran = true;

        private boolean documents;
        private long startNanos;
        private long endNanos;
        private @Nullable EmbeddingVector example;

        Watched(TextModel model) {
            this.model = model;
        }

        @Override
        public TokenizedRow tokenize(EmbedInput input, InputType type) {
            if (ran) {
                ran = false;
                startNanos = begin(type);
            }
            return model.tokenize(input, type);
        }

        private long begin(InputType type) {
            long now = System.nanoTime();
            if (documents && endNanos > startNanos) {
                synchronized (documentSlices) {
                    documentSlices.add((endNanos - startNanos) / 1e6);
                }
            }
            documents = type == InputType.DOCUMENT;
            if (!documents) {
                queryStartNanos = now;
            }
            return now;
        }

        @Override
        public List<EmbeddingVector> run(long runId, List<TokenizedRow> rows)
                throws RunTerminatedException, RunFailedException {
            ran = true;
            EmbeddingVector shown = example;
            if (rehearsing && shown != null) {
                return Collections.nCopies(rows.size(), shown);
            }
            List<EmbeddingVector> vectors = model.run(runId, rows);
            endNanos = System.nanoTime();
            runEndNanos = endNanos;
            example = vectors.get(0);
            feed.done(rows.size(), endNanos);
            return vectors;
        }

        @Override
        public ModelProfile profile() {
            return model.profile();
        }

        @Override
        public long heldBytes() {
            return model.heldBytes();
        }

        @Override
        public void terminate(long runId) {
            model.terminate(runId);
        }

        @Override
        public void close() {
            model.close();
        }
    }
}
