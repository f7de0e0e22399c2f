package io.recallgate.embedding.model;

import io.recallgate.embedding.api.ModelIdentity;

/** Opens models; the seam at which tests put scripted ones. */
@FunctionalInterface
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
     * Finds out which model a name stands for, and whether its files are as they should be. What {@link #open} loads
     * from then on is what was checked. Blocks on the disk. By loading it, unless a factory can tell from the files
     * alone.
     *
     * @param model a bundled name or a directory
     * @return what its workers will say they are
     * @throws io.recallgate.failure.FailureException {@code model-unusable}: one line naming the file and what to do
     */
    default ModelIdentity identify(String model) {
        TextModel loaded = open(model);
        try {
            return loaded.profile().identity();
        } finally {
            loaded.close();
        }
    }
}
