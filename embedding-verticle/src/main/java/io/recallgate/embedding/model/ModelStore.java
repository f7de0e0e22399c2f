package io.recallgate.embedding.model;

import io.recallgate.digest.Sha256;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Finds a configured model: a bundled name, whose files are extracted below the data directory, or a user's directory
 * with the three files in it. Thread-safe; blocks on the disk, so it is for worker threads.
 */
public final class ModelStore {

    /** Bundled model name to the resource names of its files: the artifact keeps them at its root. */
    private static final Map<String, Map<String, String>> BUNDLED = Map.of(
            "e5-small-v2-q",
            Map.of(
                    ModelDescriptor.MODEL_FILE, "e5-small-v2-q.onnx",
                    ModelDescriptor.TOKENIZER_FILE, "e5-small-v2-q-tokenizer.json"));

    private final Path models;
    private final AtomicInteger extracted = new AtomicInteger();

    /** @param dataDirectory bundled models are extracted into its {@code models} directory */
    public ModelStore(Path dataDirectory) {
        this.models = dataDirectory.resolve("models");
    }

    /** Names that need no directory, sorted. */
    public static List<String> bundledNames() {
        return BUNDLED.keySet().stream().sorted().toList();
    }

    /**
     * The model's files, extracted if need be, their checksums verified.
     *
     * @param model a bundled name or a directory
     * @throws FailureException {@code model-unusable}: one line naming the file and what to do
     */
    public ModelFiles resolve(String model) {
        Map<String, String> resources = BUNDLED.get(model);
        if (resources != null) {
            return bundled(model, resources);
        }
        Path directory = directory(model);
        if (directory == null || !Files.isDirectory(directory)) {
            throw unusable("there is no model " + model + ": give one of " + bundledNames()
                    + " or a directory with model.onnx, tokenizer.json and recallgate-model.yaml");
        }
        return userDirectory(directory);
    }

    private static @Nullable Path directory(String model) {
        try {
            return Path.of(model);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** How many files this store has copied out of a jar; for the test of A18. */
    int extractedFiles() {
        return extracted.get();
    }

    private ModelFiles bundled(String name, Map<String, String> resources) {
        String resource = "models/" + name + "/" + ModelDescriptor.FILE;
        ModelDescriptor descriptor = ModelDescriptor.parse(readResource(resource), resource);
        Path directory = models.resolve(name);
        try {
            return Extraction.exclusively(directory, () -> {
                for (Map.Entry<String, String> file : resources.entrySet()) {
                    extract(directory.resolve(file.getKey()), file.getValue(), descriptor);
                }
                return files(descriptor, directory);
            });
        } catch (IOException e) {
            throw unusable("cannot write the model " + name + " to " + directory + " ("
                            + e.getClass().getSimpleName() + "): make the data directory writable with 40 MB free")
                    .causedBy(e);
        }
    }

    private void extract(Path target, String resource, ModelDescriptor descriptor) throws IOException {
        String wanted = descriptor.checksums().get(target.getFileName().toString());
        if (Files.isRegularFile(target)) {
            if (Extraction.checksum(target).equals(wanted)) {
                return;
            }
            Extraction.warnOfRepair(target);
        }
        try (InputStream in = ModelStore.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw unusable("the program lacks " + resource + ": its jar is incomplete, build or download it again");
            }
            String sum = Extraction.copy(in, target);
            extracted.incrementAndGet();
            if (!sum.equals(wanted)) {
                throw unusable(resource + " in the program does not have the checksum of the descriptor:"
                        + " build or download the program again");
            }
        }
    }

    private static ModelFiles userDirectory(Path directory) {
        Path file = directory.resolve(ModelDescriptor.FILE);
        ModelDescriptor descriptor;
        try {
            requireFile(file);
            descriptor = ModelDescriptor.parse(Files.readString(file), file.toString());
            for (Map.Entry<String, String> sum : descriptor.checksums().entrySet()) {
                Path checked = directory.resolve(sum.getKey());
                requireFile(checked);
                if (!Extraction.checksum(checked).equals(sum.getValue())) {
                    throw unusable(checked + " is damaged or another version: its SHA-256 is not the one in "
                            + ModelDescriptor.FILE + "; copy it again, or correct the descriptor");
                }
            }
            return files(descriptor, directory);
        } catch (IOException e) {
            throw unusable("cannot read the model in " + directory + " ("
                            + e.getClass().getSimpleName() + "): check the files and their permissions")
                    .causedBy(e);
        }
    }

    private static void requireFile(Path file) {
        if (!Files.isRegularFile(file)) {
            throw unusable(file + " is missing: a model directory holds model.onnx, tokenizer.json and "
                    + ModelDescriptor.FILE);
        }
    }

    private static ModelFiles files(ModelDescriptor descriptor, Path directory) throws IOException {
        Path model = directory.resolve(ModelDescriptor.MODEL_FILE).toAbsolutePath();
        String fingerprint = Sha256.hex(descriptor.vectorFields());
        return new ModelFiles(
                descriptor,
                model,
                directory.resolve(ModelDescriptor.TOKENIZER_FILE).toAbsolutePath(),
                Files.size(model),
                fingerprint);
    }

    private static String readResource(String resource) {
        try (InputStream in = ModelStore.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw unusable("the program lacks " + resource + ": build or download it again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw unusable("cannot read " + resource + " from the program: build or download it again")
                    .causedBy(e);
        }
    }

    private static FailureException unusable(String detail) {
        return new FailureException(FailureCode.MODEL_UNUSABLE, detail);
    }
}
