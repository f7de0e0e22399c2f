package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Screen;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command line's root. */
@Command(
        name = "recallgate",
        versionProvider = RecallgateCommand.Version.class,
        header = "A memory gateway for LLM applications.",
        description = {
            "",
            "Keeps what was said, recalls what matters for the next turn, and never holds a turn open for it.",
            ""
        },
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "First steps:",
            "  ./recallgate demo                           everything at once, with a conversation to ask about",
            "  ./recallgate serve                          the gateway alone, on 127.0.0.1:7411",
            "  ./recallgate recall \"when is the beta due?\"  what a running gateway remembers",
            "",
            "The script adds commands that are not in the jar:",
            "  build          builds the jar",
            "  test           runs the tests; --long adds the slow suites",
            "  bench jmh      runs the micro benchmarks",
            "  bench pool     measures the embedding pool beside a bare loop and another library",
            "  bench jobs     compares embedding jobs with the pool alone",
            "  bench vectors  measures the search among 100,000 vectors",
            "  bench write    measures writes while the embedder stands still",
            "  bench import   measures an import, and recalls beside it",
            "",
            "Settings are in conf/recallgate.yaml. Exit status: 0 done, 1 failed, 2 wrong usage."
        })
public final class RecallgateCommand implements Runnable {

    /** What the launcher script does by itself. */
    private static final List<String> SCRIPT_COMMANDS = List.of(
            "build", "test", "bench jmh", "bench pool", "bench jobs", "bench vectors", "bench write", "bench import");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // picocli acts on it by itself
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // picocli acts on it by itself
    private boolean version;

    private RecallgateCommand() {}

    /** The version from the jar's manifest; classes that are run without a jar have none. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = RecallgateCommand.class.getPackage().getImplementationVersion();
            return new String[] {"recallgate " + (version == null ? "(not from a jar: no version)" : version)};
        }
    }

    /**
     * Runs one command line.
     *
     * @param server starts a gateway in this process
     * @param arguments as {@code main} gets them
     * @return the exit status
     */
    public static int run(CliContext context, GatewayServer server, String... arguments) {
        Screen screen = context.screen();
        return commandLine(context, server)
                .setOut(new PrintWriter(screen.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(screen.err(), true, StandardCharsets.UTF_8))
                .setColorScheme(CommandLine.Help.defaultColorScheme(
                        screen.colour() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF))
                .setUsageHelpWidth(Math.max(80, Math.min(110, screen.columns())))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((wrong, given) -> usageError(screen, wrong))
                .setExecutionStrategy(parsed -> {
                    Ranges.check(parsed);
                    return new CommandLine.RunLast().execute(parsed);
                })
                .setExecutionExceptionHandler((failure, line, parsed) -> failed(context, failure))
                .execute(arguments);
    }

    static CommandLine commandLine(CliContext context, GatewayServer server) {
        CommandLine bench = new CommandLine(new BenchCommand())
                .addSubcommand(new BenchProbesCommand(context))
                .addSubcommand(new BenchRecallCommand(context))
                .addSubcommand(new BenchRelayCommand(context))
                .addSubcommand(new BenchReplayCommand(context))
                .addSubcommand(new BenchSessionsCommand(context))
                .addSubcommand(new BenchStalledCommand(context))
                .addSubcommand(new BenchStartCommand(context))
                .addSubcommand(new BenchMetricsCommand(context));
        CommandLine root = new CommandLine(new RecallgateCommand());
        root.addSubcommand(new DemoCommand(context, server))
                .addSubcommand(new ServeCommand(context, server))
                .addSubcommand(new ImportCommand(context))
                .addSubcommand(new ExportCommand(context))
                .addSubcommand(new RecallCommand(context))
                .addSubcommand(new StatusCommand(context))
                .addSubcommand(new EvalCommand(context))
                .addSubcommand("bench", bench)
                .addSubcommand(new HelpCommand());
        return root;
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do, for example 'demo'");
    }

    private static int usageError(Screen screen, CommandLine.ParameterException wrong) {
        String command = wrong.getCommandLine().getCommandSpec().qualifiedName(" ");
        String message = wrong instanceof CommandLine.UnmatchedArgumentException unmatched
                        && !unmatched.getUnmatched().isEmpty()
                ? unknown(unmatched, command)
                : wrong.getMessage() == null
                        ? "wrong usage"
                        : wrong.getMessage().replaceAll("\\s*\\R\\s*", " ");
        screen.err().println("recallgate: " + message + " (see './" + command + " --help')");
        return CommandLine.ExitCode.USAGE;
    }

    private static String unknown(CommandLine.UnmatchedArgumentException unmatched, String command) {
        String given = unmatched.getUnmatched().get(0);
        boolean hasCommands = !unmatched.getCommandLine().getSubcommands().isEmpty();
        if (hasCommands && SCRIPT_COMMANDS.contains((command + " " + given).replaceFirst("^recallgate ", ""))) {
            return "'" + given + "' is a command of the script in a checkout, not of the jar";
        }
        String what = given.startsWith("-")
                ? "there is no option '" + given + "'"
                : hasCommands ? "there is no command '" + given + "'" : "'" + given + "' is one argument too many";
        // The first is the nearest; the others are there because something has to follow.
        List<String> near = unmatched.getSuggestions();
        return near.isEmpty() ? what : what + "; did you mean '" + near.get(0) + "'?";
    }

    private static int failed(CliContext context, Exception failure) {
        Screen screen = context.screen();
        String message = failure instanceof CommandFailedException
                ? String.valueOf(failure.getMessage())
                : "unexpected failure, please report it: " + failure;
        screen.err().println("recallgate: " + message);
        if (!(failure instanceof CommandFailedException)) {
            failure.printStackTrace(screen.err());
        }
        return CommandLine.ExitCode.SOFTWARE;
    }
}
