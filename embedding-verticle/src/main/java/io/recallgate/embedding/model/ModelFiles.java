package io.recallgate.embedding.model;

import io.recallgate.embedding.api.ModelIdentity;
import java.nio.file.Path;

/**
 * A model's files, present and checked.
 *
 * @param descriptor what it is
 * @param model the ONNX graph
 * @param tokenizer the tokenizer's JSON
 * @param modelBytes size of the graph
 * @param fingerprint hex SHA-256 over the files' sums and the descriptor's fields that change vectors
 */
public record ModelFiles(ModelDescriptor descriptor, Path model, Path tokenizer, long modelBytes, String fingerprint) {

    /** The model as callers know it. */
    public ModelIdentity identity() {
        return new ModelIdentity(descriptor.name(), fingerprint, descriptor.dimensions(), descriptor.maxTokens());
    }
}
