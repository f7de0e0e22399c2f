package io.recallgate.embedding.api;

import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import java.util.List;

/**
 * One caller's wish for vectors.
 *
 * @param id the caller's own, unique among its live requests, 1 to 200 characters; in logs and in cancellation
 * @param inputs one to 2,048 rows; the result has a vector for each, in order
 * @param inputType which prefix the model wants
 * @param priority who goes first
 * @param deadline when the caller stops waiting; a passed one starts nothing
 * @param cancel fires when the caller gives up; an already fired one starts nothing
 */
public record EmbedRequest(
        String id,
        List<EmbedInput> inputs,
        InputType inputType,
        Priority priority,
        Deadline deadline,
        CancelSignal cancel) {

    /** The most rows of one request, as OpenAI has it. */
    public static final int MAX_INPUTS = 2_048;

    /** Copies the inputs; their number is checked. */
    public EmbedRequest {
        inputs = List.copyOf(inputs);
        if (inputs.isEmpty() || inputs.size() > MAX_INPUTS) {
            throw new IllegalArgumentException("inputs out of 1.." + MAX_INPUTS + ": " + inputs.size());
        }
    }
}
