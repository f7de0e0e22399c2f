package io.recallgate.gateway.cli;

import java.lang.reflect.AnnotatedElement;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Holds numeric options to their {@link Range}s. */
final class Ranges {

    private Ranges() {}

    /**
     * Checks what was given on a command line, of all commands on it.
     *
     * @throws ParameterException that names the first option out of range
     */
    static void check(ParseResult parsed) {
        List<CommandLine> commands = parsed.asCommandLineList();
        if (commands.stream().anyMatch(line -> line.isUsageHelpRequested() || line.isVersionHelpRequested())) {
            return;
        }
        for (CommandLine command : commands) {
            for (OptionSpec option : command.getParseResult().matchedOptions()) {
                Optional<Range> range = of(option);
                if (range.isPresent()) {
                    check(command, option, range.get());
                }
            }
        }
    }

    private static void check(CommandLine command, OptionSpec option, Range range) {
        Object value = option.getValue();
        for (Object given : value instanceof Collection<?> several ? several : Collections.singletonList(value)) {
            if (given instanceof Number number
                    && (number.longValue() < range.min() || number.longValue() > range.max())) {
                throw new ParameterException(
                        command,
                        option.longestName() + " is " + given + "; allowed is " + range.min() + " to " + range.max());
            }
        }
    }

    /** The range of an option, empty for those without. */
    static Optional<Range> of(ArgSpec option) {
        return option.userObject() instanceof AnnotatedElement field
                ? Optional.ofNullable(field.getAnnotation(Range.class))
                : Optional.empty();
    }
}
