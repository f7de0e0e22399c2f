package io.recallgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;
import picocli.CommandLine;

/** Command lines of one benchmark, and what they print. */
public final class BenchCommandRun {

    /** Columns of the help that the launcher script shows, whatever the terminal. */
    private static final int HELP_COLUMNS = 80;

    private final BiFunction<PrintStream, PrintStream, CommandLine> benchmark;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();
    private final StringWriter help = new StringWriter();

    /** @param benchmark from where its figures and where its progress go */
    public BenchCommandRun(BiFunction<PrintStream, PrintStream, CommandLine> benchmark) {
        this.benchmark = benchmark;
    }

    /** The exit status. */
    public int run(String... arguments) {
        CommandLine command = benchmark.apply(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(help, true));
        command.setUsageHelpWidth(HELP_COLUMNS);
        command.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        return command.execute(arguments);
    }

    /** The figures that were printed. */
    public String figures() {
        return out.toString(StandardCharsets.UTF_8);
    }

    /** It is wrong usage, says so in these words, and measures nothing. */
    public void assertRefused(String words, String... arguments) {
        err.getBuffer().setLength(0);
        assertThat(run(arguments)).isEqualTo(2);
        assertThat(err.toString()).contains(words);
        assertThat(out.size()).isZero();
    }

    /** The launcher script shows this file, so that nothing is compiled for a look at the options. */
    public void assertHelpIs(Path file) throws IOException {
        assertThat(run("--help")).isZero();
        // After a change of the options: run this test with RECALLGATE_TEST_WRITE_HELP=1 and commit the file.
        if (System.getenv("RECALLGATE_TEST_WRITE_HELP") != null) {
            Files.writeString(file, help.toString());
        }
        assertThat(file).hasContent(help.toString());
    }
}
