package io.recallgate.embedding;

import io.recallgate.embedding.pool.PoolLimits;
import java.nio.file.Path;

/**
 * What an embedding pool is made of.
 *
 * @param model a bundled name or a directory with {@code model.onnx}, {@code tokenizer.json} and {@code
 *     recallgate-model.yaml}
 * @param dataDirectory where models and native libraries are extracted; must be writable
 * @param limits all bounds; its slots are the workers, and all of them are started at once
 * @param publicAddresses whether {@code recallgate.embed}, {@code recallgate.embed.cancel} and {@code
 *     recallgate.status} are served; one pool of a Vert.x instance should
 */
public record EmbeddingOptions(String model, Path dataDirectory, PoolLimits limits, boolean publicAddresses) {

    /** The model that needs no download. */
    public static final String DEFAULT_MODEL = "e5-small-v2-q";

    /**
     * The documented defaults.
     *
     * @param workers at least 1; {@link #defaultWorkers()} when nothing is configured
     */
    public static EmbeddingOptions defaults(String model, Path dataDirectory, int workers) {
        return new EmbeddingOptions(model, dataDirectory, PoolLimits.defaults(workers), true);
    }

    /** The smaller of the cores and what the memory of the container or machine admits, at least 1. */
    public static int defaultWorkers() {
        return MemoryBudget.read(0)
                .workers(
                        PoolLimits.defaults(1).expectedWorkerBytes(),
                        Runtime.getRuntime().availableProcessors());
    }

    /** The same with other bounds. */
    public EmbeddingOptions withLimits(PoolLimits other) {
        return new EmbeddingOptions(model, dataDirectory, other, publicAddresses);
    }

    /** The same without the public addresses. */
    public EmbeddingOptions withoutPublicAddresses() {
        return new EmbeddingOptions(model, dataDirectory, limits, false);
    }
}
