package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the script says about the Java and the Maven that it finds, which are scripts of the test. */
@Timeout(60)
class LauncherScriptTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    Path directory;

    private Path home;

    @BeforeEach
    void copyTheScript() throws IOException {
        home = Files.createDirectories(directory.resolve("jdk"));
        // Elsewhere than the sources, so that nothing of theirs is built.
        Files.copy(ROOT.resolve("recallgate"), directory.resolve("recallgate"));
    }

    @Test
    void aMissingJavaIsNamed() throws Exception {
        assertThat(run("status"))
                .isEqualTo("recallgate: JAVA_HOME is '" + home
                        + "', but there is no bin/java in it: correct or unset it\n");
    }

    @Test
    void anOldJavaIsToldByItsVersion() throws Exception {
        java("echo 'java version \"1.8.0_392\"' >&2");
        assertThat(run("status")).contains("Java 8 at ").contains("is too old");

        java("echo 'openjdk version \"11.0.21\" 2023-10-17' >&2");
        assertThat(run("status")).contains("Java 11 at ").contains("is too old");
    }

    @Test
    void aJavaThatLacksMemoryIsNotTakenForAnOldOne() throws Exception {
        java("echo 'Error occurred during initialization of VM'; echo 'Could not reserve enough space'; exit 1");

        assertThat(run("status"))
                .contains("does not start with the memory that it gets here (ulimit -v says ")
                .contains("initialization of VM Could not reserve enough space")
                .doesNotContain("install");
    }

    @Test
    void aJavaThatDoesNotRunSaysWhyInItsOwnWords() throws Exception {
        java("echo 'cannot execute: wrong architecture'; exit 126");

        assertThat(run("status")).contains("does not run (cannot execute: wrong architecture): install a JDK 17");
    }

    @Test
    void aJavaThatCannotListItsModulesIsNotTakenForOneWithoutACompiler() throws Exception {
        java("case $1 in -version) echo 'openjdk version \"17.0.9\"' ;;"
                + " *) echo 'There is insufficient memory'; exit 1 ;; esac");
        maven("exit 9");
        assertThat(run("build")).contains("does not start with the memory").doesNotContain("compiler");

        java("case $1 in -version) echo 'openjdk version \"17.0.9\"' ;; *) echo java.base@17.0.9 ;; esac");
        assertThat(run("build")).contains("is a runtime without a compiler");
    }

    @Test
    void helpForWhatOnlyTheScriptKnowsNeedsNeitherJavaNorABuild() throws Exception {
        for (String command : List.of("build", "test", "bench jmh", "bench jobs", "bench vectors")) {
            for (String line : List.of(command + " --help", command + " 5 -h", "help " + command)) {
                assertThat(succeed(line.split(" ")))
                        .as(line)
                        .startsWith("Usage: recallgate " + command)
                        .doesNotContain("JAVA_HOME", "building");
            }
        }
        // Those two have files of theirs, which their own tests hold to their options.
        for (String module : List.of("embedding-verticle/bench-pool", "gateway/bench-write")) {
            String file = module.replace("/", "/src/test/resources/") + "-help.txt";
            Path copy = directory.resolve(file);
            Files.createDirectories(Objects.requireNonNull(copy.getParent()));
            Files.copy(ROOT.resolve(file), copy);
        }
        for (String command : List.of("bench pool", "bench write")) {
            for (String line : List.of(command + " --help", command + " --json -h", "help " + command)) {
                assertThat(succeed(line.split(" "))).as(line).startsWith("Usage: recallgate " + command);
            }
        }
    }

    @Test
    void helpOfCommandsOfTheJarIsLeftToTheJar() throws Exception {
        for (String line : List.of("help", "--help", "recall --help", "help bench", "bench start --help")) {
            assertThat(run(line.split(" "))).as(line).contains("JAVA_HOME is");
        }
    }

    @Test
    void redirectedMavenWritesNoColours() throws Exception {
        java("case $1 in -version) echo 'openjdk version \"17.0.9\"' ;; *) echo jdk.compiler@17.0.9 ;; esac");
        maven("echo \"opts:$MAVEN_OPTS arguments:$*\"; exit 1");

        for (List<String> command : List.of(List.of("test"), List.of("build"), List.of("bench", "pool"))) {
            assertThat(run(command.toArray(String[]::new)))
                    .as("what Maven is told by " + command)
                    .contains("-Djansi.noreset=true")
                    .contains("-Dstyle.color=never");
        }
    }

    /** With -Werror a warning is the reason; Maven's -q shows that it failed and not why. */
    @Test
    void warningsThatFailACompilationAreShown() throws Exception {
        java("case $1 in -version) echo 'openjdk version \"17.0.9\"' ;; *) echo jdk.compiler@17.0.9 ;; esac");
        maven("echo \"arguments:$* .\"; exit 1");

        for (List<String> command : List.of(List.of("build"), List.of("bench", "pool"))) {
            assertThat(run(command.toArray(String[]::new)))
                    .as("what Maven is told by " + command)
                    .contains("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn ")
                    .doesNotContain(" -q ", "arguments:-q ");
        }
    }

    private void java(String script) throws IOException {
        script(home.resolve("bin/java"), script);
    }

    private void maven(String script) throws IOException {
        script(directory.resolve("bin/mvn"), script);
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** Everything that it says as it fails, on either stream. */
    private String run(String... arguments) throws Exception {
        return run(true, arguments);
    }

    private String succeed(String... arguments) throws Exception {
        return run(false, arguments);
    }

    private String run(boolean fails, String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("bash", directory.resolve("recallgate").toString()));
        command.addAll(List.of(arguments));
        Path output = directory.resolve("output.txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", home.toString());
        builder.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().remove("MAVEN_OPTS");
        Process process = builder.start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue() != 0)
                .as("%s fails: %s", command, Files.readString(output))
                .isEqualTo(fails);
        return Files.readString(output);
    }
}
