package io.recallgate.embedding.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Where tests find the real model: below the build directory, so that it is extracted once for all of them. */
public final class RealModel {

    /** The bundled model. */
    public static final String NAME = "e5-small-v2-q";

    private RealModel() {}

    /** A data directory shared by all tests of a module. */
    public static Path dataDirectory() {
        return Path.of("target", "model-data").toAbsolutePath();
    }

    /**
     * Directory of a float32 model, made from an artifact that only tests have. Its rows may share a run: unlike a
     * dynamically quantised one it gives a text the same vector in any company.
     */
    public static Path float32Directory() {
        Path directory = dataDirectory().resolve("all-minilm-l6-v2");
        try {
            Files.createDirectories(directory);
            String model = copied("all-minilm-l6-v2.onnx", directory.resolve(ModelDescriptor.MODEL_FILE));
            String tokenizer =
                    copied("all-minilm-l6-v2-tokenizer.json", directory.resolve(ModelDescriptor.TOKENIZER_FILE));
            Files.writeString(directory.resolve(ModelDescriptor.FILE), """
                    name: all-minilm-l6-v2
                    dimensions: 384
                    max_tokens: 512
                    vocabulary_size: 30522
                    pooling: mean
                    normalise: true
                    query_prefix: ""
                    document_prefix: ""
                    inputs:
                      ids: input_ids
                      mask: attention_mask
                      types: token_type_ids
                    output: last_hidden_state
                    checksums:
                      model.onnx: %s
                      tokenizer.json: %s
                    licence: "Apache-2.0: sentence-transformers/all-MiniLM-L6-v2"
                    """.formatted(model, tokenizer));
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String copied(String resource, Path target) throws IOException {
        try (InputStream in = RealModel.class.getClassLoader().getResourceAsStream(resource)) {
            return Extraction.copy(Objects.requireNonNull(in, resource), target);
        }
    }

    /** Opens real models. */
    public static NativeModelFactory factory() {
        return new NativeModelFactory(dataDirectory());
    }
}
