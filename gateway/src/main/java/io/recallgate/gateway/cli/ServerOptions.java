package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.console.CommandFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the commands that start a gateway. They are short for settings, and win over the environment. */
final class ServerOptions {

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The settings file. Also RECALLGATE_CONFIG; else conf/recallgate.yaml if it is there.")
    @Nullable
    Path config;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Short for RECALLGATE_HTTP_PORT; 0 takes any free one.")
    @Range(min = 0, max = 65_535)
    @Nullable
    Integer port;

    @Option(names = "--data-dir", paramLabel = "DIR", description = "Short for RECALLGATE_DATA_DIR.")
    @Nullable
    Path dataDir;

    /** The environment with the options in it. */
    Map<String, String> environment(CliContext context) {
        Map<String, String> environment = new HashMap<>(context.environment());
        if (port != null) {
            environment.put("RECALLGATE_HTTP_PORT", Integer.toString(port));
        }
        if (dataDir != null) {
            environment.put("RECALLGATE_DATA_DIR", dataDir.toString());
        }
        return environment;
    }

    /** The settings file: a named one must be there, the usual one may be missing. */
    Optional<Path> file(CliContext context) {
        String named = context.environment().getOrDefault("RECALLGATE_CONFIG", "");
        if (config == null && named.isEmpty()) {
            // The launcher script names its own directory, so that it finds its file from anywhere.
            Path home = Path.of(context.environment().getOrDefault("RECALLGATE_HOME", ""));
            Path usual = home.resolve("conf").resolve("recallgate.yaml");
            return Files.isRegularFile(usual) ? Optional.of(usual) : Optional.empty();
        }
        Path file = config != null ? config : Path.of(named);
        if (!Files.isRegularFile(file)) {
            throw new CommandFailedException("there is no settings file " + file + ": check "
                    + (config != null ? "--config" : "RECALLGATE_CONFIG"));
        }
        return Optional.of(file);
    }
}
