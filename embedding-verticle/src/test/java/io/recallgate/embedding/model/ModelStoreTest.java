package io.recallgate.embedding.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.WrittenLog;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelStoreTest {

    private static final String NAME = RealModel.NAME;

    @TempDir
    Path data;

    @Test
    void twoColdStartsExtractOnce() {
        ModelStore first = new ModelStore(data);
        ModelStore second = new ModelStore(data);

        CompletableFuture<ModelFiles> one = CompletableFuture.supplyAsync(() -> first.resolve(NAME));
        CompletableFuture<ModelFiles> two = CompletableFuture.supplyAsync(() -> second.resolve(NAME));

        assertThat(one.join()).isEqualTo(two.join());
        assertThat(first.extractedFiles() + second.extractedFiles()).isEqualTo(2);
        assertThat(filesIn(data.resolve("models/" + NAME)))
                .containsExactlyInAnyOrder(".lock", "model.onnx", "tokenizer.json");
    }

    @Test
    void aDamagedExtractedFileAndTheRestOfACrashAreReplacedWithOneWarningOfTheDamage() throws IOException {
        ModelStore store = new ModelStore(data);
        ModelFiles files;
        List<String> warnings;
        try (WrittenLog log = WrittenLog.of(Extraction.class)) {
            files = store.resolve(NAME);
            Files.writeString(files.tokenizer(), "{");
            Files.writeString(files.tokenizer().resolveSibling("model.onnx.1.partial"), "half");

            assertThat(new ModelStore(data).resolve(NAME)).isEqualTo(files);
            assertThat(new ModelStore(data).resolve(NAME)).isEqualTo(files);
            warnings = log.warnings();
        }
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains(files.tokenizer().toString(), "damaged");
        assertThat(Extraction.checksum(files.tokenizer()))
                .isEqualTo(files.descriptor().checksums().get("tokenizer.json"));
        assertThat(filesIn(data.resolve("models/" + NAME))).noneMatch(name -> name.endsWith(".partial"));
    }

    @Test
    void aDamagedNativeLibraryIsReplacedWithOneWarning() throws IOException {
        Path library = data.resolve("library");
        String resource = Platform.LINUX_X64.runtimeResource("onnxruntime4j_jni");
        try (WrittenLog log = WrittenLog.of(Extraction.class)) {
            NativeLibraries.place(resource, library);
            byte[] whole = Files.readAllBytes(library);
            Files.writeString(library, "half");

            NativeLibraries.place(resource, library);
            NativeLibraries.place(resource, library);

            assertThat(library).hasBinaryContent(whole);
            assertThat(log.warnings()).singleElement().asString().contains(library.toString());
        }
    }

    @Test
    void aUsersDirectoryWithTheSameFilesIsTheSameModel() throws IOException {
        Path directory = userDirectory();

        ModelFiles own = new ModelStore(data).resolve(directory.toString());

        assertThat(own.fingerprint())
                .isEqualTo(new ModelStore(data).resolve(NAME).fingerprint());
        assertThat(own.model()).isEqualTo(directory.resolve("model.onnx").toAbsolutePath());
    }

    @Test
    void aDescriptorThatChangesVectorsChangesTheFingerprint() throws IOException {
        Path directory = userDirectory();
        String before = new ModelStore(data).resolve(directory.toString()).fingerprint();
        edit(directory, "pooling: mean", "pooling: cls");
        String pooled = new ModelStore(data).resolve(directory.toString()).fingerprint();
        edit(directory, "licence: \"MIT", "licence: \"as before, MIT");

        assertThat(pooled).isNotEqualTo(before);
        assertThat(new ModelStore(data).resolve(directory.toString()).fingerprint())
                .isEqualTo(pooled);
    }

    @Test
    void aMissingFileIsNamed() throws IOException {
        Path directory = userDirectory();
        Files.delete(directory.resolve("tokenizer.json"));

        assertUnusable(() -> new ModelStore(data).resolve(directory.toString()), "tokenizer.json", "is missing");
    }

    @Test
    void aDamagedFileIsNamed() throws IOException {
        Path directory = userDirectory();
        Files.writeString(directory.resolve("model.onnx"), "not a model");

        assertUnusable(() -> new ModelStore(data).resolve(directory.toString()), "model.onnx", "damaged");
    }

    @Test
    void aFileThatIsNoModelIsNamedAlsoWhenItsChecksumIsRight() throws IOException {
        Path directory = userDirectory();
        Files.writeString(directory.resolve("model.onnx"), "not a model");
        edit(
                directory,
                "7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded",
                Extraction.checksum(directory.resolve("model.onnx")));

        assertUnusable(() -> RealModel.factory().open(directory.toString()), "model.onnx", "cannot be loaded");
    }

    @Test
    void aDescriptorThatDoesNotFitTheGraphIsNamed() throws IOException {
        Path directory = userDirectory();
        edit(directory, "output: last_hidden_state", "output: sentence_embedding");
        assertUnusable(() -> RealModel.factory().open(directory.toString()), "sentence_embedding", "correct output");

        edit(directory, "output: sentence_embedding", "output: last_hidden_state");
        edit(directory, "  types: token_type_ids\n", "");
        assertUnusable(() -> RealModel.factory().open(directory.toString()), "token_type_ids", "correct inputs");

        edit(directory, "  mask: attention_mask\n", "  mask: attention_mask\n  types: token_type_ids\n");
        edit(directory, "dimensions: 384", "dimensions: 385");
        assertUnusable(() -> RealModel.factory().open(directory.toString()), "model.onnx", "correct the descriptor");
    }

    @Test
    void anUnknownNameListsWhatThereIs() {
        assertUnusable(() -> new ModelStore(data).resolve("e6"), "e6", "e5-small-v2-q");
    }

    @Test
    void aDataDirectoryThatCannotBeWrittenIsNamed() throws IOException {
        Path file = Files.writeString(data.resolve("models"), "a file where a directory should be");

        assertUnusable(() -> new ModelStore(data).resolve(NAME), file.toString(), "make the data directory writable");
    }

    @Test
    void everySupportedPlatformIsBundledAndOthersAreRefused() {
        assertThat(Platform.of("Linux", "amd64")).isEqualTo(Platform.LINUX_X64);
        assertThat(Platform.of("Linux", "aarch64")).isEqualTo(Platform.LINUX_ARM64);
        assertThat(Platform.of("Mac OS X", "aarch64")).isEqualTo(Platform.MACOS_ARM64);
        for (Platform platform : Platform.values()) {
            assertThat(resource(platform.runtimeResource("onnxruntime"))).isTrue();
            assertThat(resource(platform.runtimeResource("onnxruntime4j_jni"))).isTrue();
            assertThat(resource(platform.tokenizersResource())).isTrue();
        }
        assertUnusable(() -> Platform.of("Windows 11", "amd64"), "Windows 11", "use Linux");
        assertUnusable(() -> Platform.of("Mac OS X", "x86_64"), "x86_64", "RECALLGATE_EMBEDDING_PROVIDER");
    }

    private static boolean resource(String name) {
        return ModelStoreTest.class.getClassLoader().getResource(name) != null;
    }

    static void assertUnusable(ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(FailureException.class, failure -> {
            assertThat(failure.code()).isEqualTo(FailureCode.MODEL_UNUSABLE);
            assertThat(failure.detail()).contains(words).doesNotContain("\n");
        });
    }

    private Path userDirectory() throws IOException {
        ModelFiles bundled = new ModelStore(RealModel.dataDirectory()).resolve(NAME);
        Path directory = Files.createDirectories(data.resolve("mine"));
        Files.copy(bundled.model(), directory.resolve("model.onnx"), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(bundled.tokenizer(), directory.resolve("tokenizer.json"), StandardCopyOption.REPLACE_EXISTING);
        try (var in =
                ModelStore.class.getClassLoader().getResourceAsStream("models/" + NAME + "/recallgate-model.yaml")) {
            Files.write(directory.resolve("recallgate-model.yaml"), in.readAllBytes());
        }
        return directory;
    }

    private static void edit(Path directory, String from, String to) throws IOException {
        Path file = directory.resolve("recallgate-model.yaml");
        String text = Files.readString(file);
        assertThat(text).contains(from);
        Files.writeString(file, text.replace(from, to));
    }

    private static Stream<String> filesIn(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList().stream();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
