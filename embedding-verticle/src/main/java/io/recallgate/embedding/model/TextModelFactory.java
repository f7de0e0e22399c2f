package io.recallgate.embedding.model;

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
}
