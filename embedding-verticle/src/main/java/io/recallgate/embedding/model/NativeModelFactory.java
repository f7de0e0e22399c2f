package io.recallgate.embedding.model;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Opens real models from the data directory. Thread-safe. */
public final class NativeModelFactory implements TextModelFactory {

    private final Path dataDirectory;
    private final ModelStore store;
    private final Object lock = new Object();
    private final Map<String, ModelFiles> checked = new HashMap<>();

    /** @param dataDirectory where models and native libraries are extracted */
    public NativeModelFactory(Path dataDirectory) {
        this.dataDirectory = dataDirectory;
        this.store = new ModelStore(dataDirectory);
    }

    @Override
    public TextModel open(String model) {
        return NativeModel.open(files(model));
    }

    /** Checksums cost a fifth of a second, so they are taken once in the life of the factory; a failure is not kept. */
    private ModelFiles files(String model) {
        synchronized (lock) {
            ModelFiles known = checked.get(model);
            if (known == null) {
                NativeLibraries.prepare(dataDirectory);
                known = store.resolve(model);
                checked.put(model, known);
            }
            return known;
        }
    }
}
