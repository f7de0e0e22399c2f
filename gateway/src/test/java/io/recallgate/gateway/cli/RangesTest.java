package io.recallgate.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.time.FakeClock;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

/** Every numeric option of every command has a range, says it, and is held to it before anything is done. */
class RangesTest {

    private static final Set<Class<?>> WHOLE =
            Set.of(int.class, Integer.class, long.class, Long.class, short.class, Short.class, byte.class, Byte.class);

    @Test
    void everyNumberOnACommandLineIsAWholeOneWithARange() {
        List<ArgSpec> numbers = commands(root())
                .flatMap(command -> command.getCommandSpec().args().stream())
                .filter(arg -> WHOLE.contains(arg.type())
                        || Number.class.isAssignableFrom(arg.type())
                        || List.of(double.class, float.class).contains(arg.type()))
                .toList();

        assertThat(numbers).as("the test finds them").hasSizeGreaterThan(7);
        assertThat(numbers).allSatisfy(arg -> {
            assertThat(WHOLE).contains(arg.type());
            assertThat(arg.isOption()).isTrue();
            assertThat(Ranges.of(arg)).as(arg.paramLabel() + " of " + arg).isPresent();
        });
    }

    static Stream<Arguments> numericOptions() {
        return commands(root()).flatMap(command -> command.getCommandSpec().options().stream()
                .filter(option -> WHOLE.contains(option.type()))
                .map(option -> Arguments.of(name(command), option.longestName())));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("numericOptions")
    void aNumberOutOfRangeIsRefusedByNameBeforeAnythingIsDone(String command, String name) {
        Range range = range(command, name);
        for (String wrong : List.of(below(range), above(range), "many", "1.5", "")) {
            CommandLineRun run = new CommandLineRun();
            // Nobody listens there, and no server may be started: asking would end with another status.
            run.environment.put("RECALLGATE_URL", "http://127.0.0.1:1");

            assertThat(run.run(line(command, name, wrong))).as(wrong).isEqualTo(2);

            assertThat(run.err()).contains(name).hasLineCount(1);
            assertThat(run.pauses).isEmpty();
        }
        CommandLineRun run = new CommandLineRun();
        run.run(line(command, name, below(range)));
        assertThat(run.err())
                .startsWith("recallgate: " + name + " is " + below(range) + "; allowed is " + range.min() + " to "
                        + range.max());
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("numericOptions")
    void bothEndsOfARangeAreTaken(String command, String name) {
        Range range = range(command, name);
        for (long end : List.of(range.min(), range.max())) {
            Ranges.check(root().parseArgs(line(command, name, Long.toString(end))));
        }
    }

    @Test
    void helpIsGivenWhateverTheNumbers() {
        CommandLineRun run = new CommandLineRun();

        assertThat(run.run("bench", "start", "--recalls", "-1", "--help")).isZero();
    }

    private static String below(Range range) {
        return Long.toString(range.min() - 1);
    }

    private static String above(Range range) {
        return Long.toString(range.max() + 1);
    }

    private static String[] line(String command, String name, String value) {
        List<String> line = new ArrayList<>(Arrays.asList(command.split(" ", -1)));
        line.add(name + "=" + value);
        if (command.equals("recall")) {
            line.add("question");
        }
        if (command.equals("eval")) {
            line.add("conversation.json");
        }
        return line.toArray(String[]::new);
    }

    private static Range range(String command, String name) {
        return commands(root())
                .filter(line -> name(line).equals(command))
                .flatMap(line -> line.getCommandSpec().options().stream())
                .filter(option -> option.longestName().equals(name))
                .findFirst()
                .flatMap(Ranges::of)
                .orElseThrow();
    }

    /** Without the root's. */
    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName(" ").replaceFirst("^recallgate ?", "");
    }

    private static Stream<CommandLine> commands(CommandLine root) {
        return Stream.concat(
                Stream.of(root), root.getSubcommands().values().stream().flatMap(RangesTest::commands));
    }

    private static CommandLine root() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        return RecallgateCommand.commandLine(
                new CliContext(
                        new Screen(nowhere, nowhere, false, false, false, 80),
                        InputStream.nullInputStream(),
                        Map.of(),
                        new FakeClock(),
                        Pauses.real()),
                new CommandLineRun().server);
    }
}
