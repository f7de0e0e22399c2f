package io.recallgate.embedding.model;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Puts the native libraries where their loaders find them, once for each version, below the data directory. Left alone,
 * ONNX Runtime copies 23 MB into the temporary directory at each start and the tokenizers 14 MB into the home
 * directory, and the tokenizers' library asks the network whether it runs in a cloud.
 */
public final class NativeLibraries {

    private static final Object LOCK = new Object();
    private static boolean prepared;

    private NativeLibraries() {}

    /**
     * Extracts the libraries and points their loaders at them. Must come before the first use of either; later calls
     * do nothing, since a process loads them once. Blocks on the disk.
     *
     * @param dataDirectory libraries go into its {@code native} directory
     * @throws FailureException {@code model-unusable} for an unsupported platform or a directory that is not writable
     */
    public static void prepare(Path dataDirectory) {
        synchronized (LOCK) {
            if (prepared) {
                return;
            }
            Platform platform = Platform.of(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
            // An operator's own settings win: a package may bring its libraries along.
            System.setProperty("ai.djl.offline", "true");
            System.setProperty("OPT_OUT_TRACKING", "true");
            setDefault("RUST_FLAVOR", "cpu");
            try {
                if (System.getProperty("onnxruntime.native.path") == null) {
                    System.setProperty(
                            "onnxruntime.native.path",
                            runtime(platform, dataDirectory).toString());
                }
                if (System.getenv("RUST_LIBRARY_PATH") == null && System.getProperty("RUST_LIBRARY_PATH") == null) {
                    System.setProperty(
                            "RUST_LIBRARY_PATH",
                            tokenizers(platform, dataDirectory).toString());
                }
                // Whatever else the library would cache goes where we may write.
                setDefault(
                        "DJL_CACHE_DIR",
                        dataDirectory.resolve("native/djl").toAbsolutePath().toString());
            } catch (IOException e) {
                throw new FailureException(
                                FailureCode.MODEL_UNUSABLE,
                                "cannot write the native libraries to " + dataDirectory.resolve("native") + " ("
                                        + e.getClass().getSimpleName()
                                        + "): make the data directory writable with 40 MB free")
                        .causedBy(e);
            }
            prepared = true;
        }
    }

    private static Path runtime(Platform platform, Path data) throws IOException {
        List<String> libraries = List.of("onnxruntime", "onnxruntime4j_jni");
        Path directory = directory(data, platform, "onnxruntime", platform.runtimeResource("onnxruntime"));
        return Extraction.exclusively(directory, () -> {
            for (String library : libraries) {
                place(platform.runtimeResource(library), directory.resolve(platform.fileName(library)));
            }
            return directory;
        });
    }

    private static Path tokenizers(Platform platform, Path data) throws IOException {
        String resource = platform.tokenizersResource();
        Path directory = directory(data, platform, "tokenizers", resource);
        Path file = directory.resolve(platform.fileName("tokenizers"));
        return Extraction.exclusively(directory, () -> {
            place(resource, file);
            return file;
        });
    }

    /** The directory is named after the library's content, since a shaded jar no longer tells versions. */
    private static Path directory(Path data, Platform platform, String library, String resource) throws IOException {
        Entry entry = entryOf(resource);
        return data.resolve("native/" + library + "-" + platform.directory() + "-" + Long.toHexString(entry.stamp))
                .toAbsolutePath();
    }

    /** Copies a library unless one of the same size is there; the rename makes a half file impossible. */
    static void place(String resource, Path target) throws IOException {
        if (Files.isRegularFile(target)) {
            if (Files.size(target) == entryOf(resource).sizeBytes) {
                return;
            }
            Extraction.warnOfRepair(target);
        }
        try (InputStream in = open(resource)) {
            Extraction.copy(in, target);
        }
    }

    private static Entry entryOf(String resource) throws IOException {
        URL url = NativeLibraries.class.getClassLoader().getResource(resource);
        if (url == null) {
            throw missing(resource);
        }
        URLConnection connection = url.openConnection();
        // A cached jar file would stay open, and be shared with the class loader.
        connection.setUseCaches(false);
        if (connection instanceof JarURLConnection jar) {
            try (JarFile file = jar.getJarFile()) {
                JarEntry entry = file.getJarEntry(resource);
                return new Entry(entry.getSize(), entry.getCrc());
            }
        }
        long sizeBytes = connection.getContentLengthLong();
        long stamp = connection.getLastModified();
        // Asking a file for its length has opened it.
        connection.getInputStream().close();
        return new Entry(sizeBytes, stamp);
    }

    /** What tells one version of a library from another without reading it. */
    private record Entry(long sizeBytes, long stamp) {}

    private static InputStream open(String resource) {
        InputStream in = NativeLibraries.class.getClassLoader().getResourceAsStream(resource);
        if (in == null) {
            throw missing(resource);
        }
        return in;
    }

    private static FailureException missing(String resource) {
        return new FailureException(
                FailureCode.MODEL_UNUSABLE,
                "the program lacks " + resource + ": its jar is incomplete, build or download it again");
    }

    private static void setDefault(String property, String value) {
        if (System.getenv(property) == null && System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }
}
