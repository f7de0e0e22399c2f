package io.recallgate.embedding.model;

import io.recallgate.embedding.api.ModelIdentity;

/** Opens models; the seam at which tests put scripted ones. */
public interface TextModelFactory {

    /**
     * Loads a model. Blocks for some hundred milliseconds or more, and cannot be stopped. Called on several worker
     * threads at once.
     *
     * @param model a bundled name or a directory
     * @throws io.recallgate.failure.FailureException {@code model-unusable} when trying again will not help; any other
     *     failure may pass
     */
    TextModel open(String model);

    /**
     * Checks a model's files without loading it: they are there, and are the ones of its descriptor. What {@link #open}
     * loads from then on is what was checked. Blocks on the disk.
     *
     * @param model a bundled name or a directory
     * @return what its workers will say they are
     * @throws io.recallgate.failure.FailureException {@code model-unusable}: one line naming the file and what to do
     */
    ModelIdentity identify(String model);
}
