package io.recallgate.embedding.model;

import io.recallgate.embedding.api.ModelIdentity;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Opens real models from the data directory. Thread-safe. */
public final class NativeModelFactory implements TextModelFactory {

    /** Two are in use during a replacement; the rest are those that an operator tried out. */
    private static final int MAX_REMEMBERED = 16;

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

    @Override
    public ModelIdentity identify(String model) {
        synchronized (lock) {
            // Not what is remembered: the files may be others by now, which is what is asked.
            ModelFiles found = store.resolve(model);
            remember(model, found);
            return found.identity();
        }
    }

    /** Checksums cost a fifth of a second, so they are taken once in the life of the factory; a failure is not kept. */
    private ModelFiles files(String model) {
        synchronized (lock) {
            ModelFiles known = checked.get(model);
            if (known == null) {
                NativeLibraries.prepare(dataDirectory);
                known = store.resolve(model);
                remember(model, known);
            }
            return known;
        }
    }

    private void remember(String model, ModelFiles files) {
        if (checked.size() >= MAX_REMEMBERED) {
            checked.clear();
        }
        checked.put(model, files);
    }
}
