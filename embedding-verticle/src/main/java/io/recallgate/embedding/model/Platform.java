package io.recallgate.embedding.model;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.util.Locale;

/** Platforms for which both native libraries are bundled. Each names its directories in the two libraries' jars. */
enum Platform {
    /** Linux on x86-64 (glibc). */
    LINUX_X64("linux-x64", "linux-x86_64", "so"),
    /** Linux on 64-bit ARM (glibc). */
    LINUX_ARM64("linux-aarch64", "linux-aarch64", "so"),
    /** macOS on Apple silicon. */
    MACOS_ARM64("osx-aarch64", "osx-aarch64", "dylib");

    private final String runtimeDirectory;
    private final String tokenizersDirectory;
    private final String suffix;

    Platform(String runtimeDirectory, String tokenizersDirectory, String suffix) {
        this.runtimeDirectory = runtimeDirectory;
        this.tokenizersDirectory = tokenizersDirectory;
        this.suffix = suffix;
    }

    /**
     * The platform of these values of {@code os.name} and {@code os.arch}.
     *
     * @throws FailureException {@code model-unusable} for one without native libraries
     */
    static Platform of(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String arch = osArch.toLowerCase(Locale.ROOT);
        boolean arm = arch.equals("aarch64") || arch.equals("arm64");
        boolean x64 = arch.equals("amd64") || arch.equals("x86_64");
        if (os.contains("linux") && x64) {
            return LINUX_X64;
        }
        if (os.contains("linux") && arm) {
            return LINUX_ARM64;
        }
        if (os.contains("mac") && arm) {
            return MACOS_ARM64;
        }
        throw new FailureException(
                FailureCode.MODEL_UNUSABLE,
                "local models do not run on " + osName + " " + osArch
                        + ": use Linux x86-64 or ARM64, macOS ARM64, or RECALLGATE_EMBEDDING_PROVIDER=none");
    }

    /** Resource and file name of a library of ONNX Runtime. */
    String runtimeResource(String library) {
        return "ai/onnxruntime/native/" + runtimeDirectory + "/" + fileName(library);
    }

    /** Resource of the tokenizers library. */
    String tokenizersResource() {
        return "native/lib/" + tokenizersDirectory + "/cpu/" + fileName("tokenizers");
    }

    /** What the loaders call the file. */
    String fileName(String library) {
        return "lib" + library + "." + suffix;
    }

    /** Name of the directory below the data directory. */
    String directory() {
        return runtimeDirectory;
    }
}
