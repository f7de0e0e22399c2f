package io.recallgate.embedding.model;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import java.util.List;

/**
 * A loaded model. One worker thread owns it and calls everything but {@link #terminate}, which is for any thread.
 */
public interface TextModel extends AutoCloseable {

    /** What loading showed. */
    ModelProfile profile();

    /**
     * What it is to be charged with by now: {@link ModelProfile#residentBytes}, or more if a run needed more than that
     * allows for. Never becomes less.
     */
    default long heldBytes() {
        return profile().residentBytes();
    }

    /**
     * Turns an input into tokens, cut to the limits and labelled if it was.
     *
     * @throws io.recallgate.failure.FailureException {@code invalid-field} for a token id outside the vocabulary
     */
    TokenizedRow tokenize(EmbedInput input, InputType type);

    /**
     * Runs the rows together, padded to the longest. Blocks in native code.
     *
     * @param runId names the run for {@link #terminate}; greater than zero. Several runs may share it
     * @return one vector for each row, in order
     * @throws RunTerminatedException if {@link #terminate} ended it
     * @throws RunFailedException if the runtime refused
     * @throws io.recallgate.failure.FailureException {@code shutting-down} if the process is ending
     */
    List<EmbeddingVector> run(long runId, List<TokenizedRow> rows) throws RunTerminatedException, RunFailedException;

    /**
     * Ends the run with this id, and any later one with it. Callable on any thread; returns at once, the run returns a
     * little later. Other runs are not touched.
     */
    void terminate(long runId);

    /** Frees the model. Never while a run is going on; a second call does nothing. */
    @Override
    void close();
}
