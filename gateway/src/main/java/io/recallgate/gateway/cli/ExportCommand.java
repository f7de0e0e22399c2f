package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.CommandFailedException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code export}. */
@Command(
        name = "export",
        description = "Writes the memories of a running gateway as newline-delimited JSON, oldest first.",
        footer = {
            "",
            "'./recallgate import' stores them in another project or gateway, each once.",
            "",
            "Examples:",
            "  ./recallgate export -o memories.ndjson",
            "  ./recallgate export --session standup | jq .content"
        })
final class ExportCommand implements Callable<Integer> {

    private final CliContext context;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    @Option(names = "--session", paramLabel = "S", description = "Only memories of this session.")
    private @Nullable String session;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Where to; standard output without it. The file is there only when it is whole.")
    private @Nullable Path output;

    ExportCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        GatewayClient client = connection.client(context, Duration.ZERO);
        String query = session == null
                ? ""
                : "?session="
                        + URLEncoder.encode(session, StandardCharsets.UTF_8).replace("+", "%20");
        if (output == null) {
            requireSuccess(
                    client.download("/v1/export" + query, context.screen().out()));
            return 0;
        }
        Path part = output.resolveSibling(output.getFileName() + ".part");
        try {
            try (OutputStream out = Files.newOutputStream(part)) {
                requireSuccess(client.download("/v1/export" + query, out));
            }
            Files.move(part, output, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new CommandFailedException("cannot write " + output + ": " + e.getMessage(), e);
        } finally {
            remove(part);
        }
        return 0;
    }

    private static void requireSuccess(Answer answer) {
        if (!answer.isSuccess()) {
            throw new CommandFailedException(answer.explain());
        }
    }

    private void remove(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            context.screen().err().println("recallgate: cannot remove " + part + ": " + e.getMessage());
        }
    }
}
