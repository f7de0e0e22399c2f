package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The official OpenAI client for JavaScript, installed as its lock file says. Skipped, visibly, without node. */
@Tag("npm")
@Timeout(180)
class OpenAiClientTest {

    private static final Path PROJECT = Path.of("src/test/npm").toAbsolutePath();

    @BeforeAll
    static void install() throws IOException, InterruptedException {
        assumeTrue(isOnPath("node") && isOnPath("npm"), "node and npm are not installed");
        if (!Files.isDirectory(PROJECT.resolve("node_modules/openai"))
                || !Files.isDirectory(PROJECT.resolve("node_modules/@anthropic-ai/sdk"))) {
            assertThat(run(List.of("npm", "ci", "--no-audit", "--no-fund"))).contains("added");
        }
    }

    private static boolean isOnPath(String program) {
        return Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator, -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    @Test
    void theClientReadsEmbeddingsModelsAndErrors() throws IOException, InterruptedException {
        try (TestGateway gateway = new TestGateway()) {
            gateway.runtime.embed = request -> request.inputs().get(0) instanceof EmbedInput.Text text
                    ? switch (text.text()) {
                        case "overload" ->
                            Future.failedFuture(new FailureException(FailureCode.OVERLOADED, "the queue is full")
                                    .retryAfter(Duration.ofSeconds(3)));
                        case "unknown key" ->
                            Future.failedFuture(new FailureException(FailureCode.UNAUTHENTICATED, "who are you?"));
                        default -> Future.succeededFuture(ScriptedRuntime.vectors(request));
                    }
                    : Future.succeededFuture(ScriptedRuntime.vectors(request));

            String said =
                    script("embeddings.mjs", gateway, Integer.toString(ScriptedRuntime.MODEL.dimensions()), "scripted");

            assertThat(said).endsWith("ok\n");
        }
    }

    @Test
    void theLockFileNamesNoRegistry() throws IOException {
        String lock = Files.readString(PROJECT.resolve("package-lock.json"));

        assertThat(lock)
                .contains("\"integrity\"")
                .doesNotContain("\"resolved\"")
                .doesNotContain("http");
    }

    /** Runs a script of {@link #PROJECT} against the gateway; {@link #install} must have been called. */
    static String script(String file, TestGateway gateway, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("node", file, "http://127.0.0.1:" + gateway.port + "/v1"));
        command.addAll(List.of(arguments));
        return run(command);
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(PROJECT.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(150, TimeUnit.SECONDS)).as(said).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
