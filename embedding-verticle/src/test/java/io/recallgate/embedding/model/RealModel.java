package io.recallgate.embedding.model;

import java.nio.file.Path;

/** Where tests find the real model: below the build directory, so that it is extracted once for all of them. */
public final class RealModel {

    /** The bundled model. */
    public static final String NAME = "e5-small-v2-q";

    private RealModel() {}

    /** A data directory shared by all tests of a module. */
    public static Path dataDirectory() {
        return Path.of("target", "model-data").toAbsolutePath();
    }

    /** Opens real models. */
    public static NativeModelFactory factory() {
        return new NativeModelFactory(dataDirectory());
    }
}
