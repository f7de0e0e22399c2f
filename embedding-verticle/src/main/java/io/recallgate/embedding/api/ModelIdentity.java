package io.recallgate.embedding.api;

/**
 * Which model made a vector. Vectors are comparable only if their fingerprints are equal.
 *
 * @param name the configured name, such as {@code e5-small-v2-q}
 * @param fingerprint hex SHA-256 over the model's files and descriptor: what is computed, not what it is called
 * @param dimensions of each vector
 * @param maxTokens the model's window, special tokens included
 */
public record ModelIdentity(String name, String fingerprint, int dimensions, int maxTokens) {}
