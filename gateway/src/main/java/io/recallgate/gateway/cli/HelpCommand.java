package io.recallgate.gateway.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code help}. Of our own, since picocli's defines the option for help a second time. */
@Command(
        name = "help",
        description = "Shows the help of a command.",
        footer = {"", "Examples:", "  ./recallgate help import", "  ./recallgate help bench recall"})
final class HelpCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The command; none for the overview.")
    private List<String> path = List.of();

    @Override
    public void run() {
        CommandLine root = spec.root().commandLine();
        CommandLine found = root;
        for (String name : path) {
            CommandLine next = found.getSubcommands().get(name);
            if (next == null) {
                throw new CommandLine.UnmatchedArgumentException(found, List.of(name));
            }
            found = next;
        }
        found.usage(root.getOut());
    }
}
